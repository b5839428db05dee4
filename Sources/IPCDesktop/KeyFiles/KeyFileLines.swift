/// A key file of which single lists are changed and every other byte stays: that of a `mimeapps.list` is shared by all
/// programs of a desktop.
///
/// Nothing is checked: what is no group and no key is passed over, as other programs do.
package struct KeyFileLines: Sendable, Hashable {
    /// Without the line feeds between them; the last one is empty where the file ends with a line feed.
    private var lines: [[UInt8]]

    package init(_ bytes: [UInt8] = []) {
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    }

    package var bytes: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

    /// The value of a key; of several lines the last one counts, as for GLib.
    package func value(of key: String, in group: String) -> String? {
        places(of: key, in: group).last.map { Self.text(Self.parts(of: lines[$0]).value) }
    }

    /// The elements of a list that is separated by “;”.
    package func list(of key: String, in group: String) -> [String]? {
        value(of: key, in: group)?.split(separator: ";").map { Self.text(Array($0.utf8)) }.filter { !$0.isEmpty }
    }

    /// The keys of a group, in their order.
    package func keys(in group: String) -> [String] {
        body(of: group).compactMap { Self.key(of: lines[$0]) }
    }

    // MARK: Changing

    /// Puts a value into the list of a key, where it is not in it yet: in front, or behind all others. A key that is not
    /// there gets a line below the group's, and a group that is not there is put before all others, because what is in
    /// front of something depends on no line feed.
    /// - Parameter own: what has been put where, to be taken out again.
    package mutating func insert(
        _ value: String, key: String, group: String, inFront: Bool, noting own: inout OwnEntries
    ) {
        guard let place = places(of: key, in: group).last else {
            if header(of: group) == nil {
                lines.insert(Array("[\(group)]".utf8), at: lines.firstIndex { Self.group(of: $0) != nil } ?? 0)
                own.madeGroup = true
            }
            lines.insert(Array("\(key)=\(value);".utf8), at: header(of: group)! + 1)
            own.note(key, madeLine: true)
            return
        }
        guard list(of: key, in: group)?.contains(value) != true else { return }
        var (name, elements) = Self.elements(of: lines[place])
        if inFront {
            elements.insert(Array(value.utf8), at: 0)
        } else {
            elements.insert(Array(value.utf8), at: elements.count - (Self.isBlank(elements.last) ? 1 : 0))
        }
        lines[place] = Self.line(name, elements)
        own.note(key, madeLine: false)
    }

    /// Takes out what ``insert(_:key:group:inFront:noting:)`` has put in, and nothing else: what somebody has put
    /// beside it meanwhile stays.
    package mutating func withdraw(_ own: OwnEntries) {
        for (key, madeLine) in own.keys {
            for place in places(of: key, in: own.group).reversed() {
                var (name, elements) = Self.elements(of: lines[place])
                guard let element = elements.firstIndex(where: { Self.text($0) == own.value }) else { continue }
                elements.remove(at: element)
                if madeLine && elements.allSatisfy({ Self.isBlank($0) }) {
                    lines.remove(at: place)
                } else {
                    lines[place] = Self.line(name, elements)
                }
                break
            }
        }
        guard own.madeGroup, let header = header(of: own.group) else { return }
        let body = lines[(header + 1)...].prefix { Self.group(of: $0) == nil }
        if !body.contains(where: { Self.key(of: $0) != nil }) { lines.remove(at: header) }
    }

    /// What would be ours if the entries were put in here.
    func renewed(_ own: OwnEntries) -> OwnEntries {
        var renewed = OwnEntries(group: own.group, value: own.value)
        renewed.madeGroup = header(of: own.group) == nil
        for (key, _) in own.keys { renewed.note(key, madeLine: places(of: key, in: own.group).isEmpty) }
        return renewed
    }

    /// The group's first line.
    private func header(of group: String) -> Int? {
        lines.firstIndex { Self.group(of: $0) == group }
    }

    /// The lines of all groups of that name, without those of their names and an empty one that ends the file.
    private func body(of group: String) -> [Int] {
        var (isInside, places) = (false, [Int]())
        for (place, line) in lines.enumerated() {
            if let name = Self.group(of: line) {
                isInside = name == group
            } else if isInside, place < lines.count - 1 || !line.isEmpty {
                places.append(place)
            }
        }
        return places
    }

    private func places(of key: String, in group: String) -> [Int] {
        body(of: group).filter { Self.key(of: lines[$0]) == key }
    }
}

extension KeyFileLines {
    private static func group(of line: [UInt8]) -> String? {
        // Most lines are none; that is seen without making a text of them.
        guard let first = line.first, first <= 0x20 || first == UInt8(ascii: "[") else { return nil }
        let text = text(line)
        return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : nil
    }

    private static func key(of line: [UInt8]) -> String? {
        guard line.contains(UInt8(ascii: "=")), line.first != UInt8(ascii: "#") else { return nil }
        let key = text(parts(of: line).key)
        return key.isEmpty ? nil : key
    }

    /// Before and behind the first “=”.
    private static func parts(of line: [UInt8]) -> (key: [UInt8], value: [UInt8]) {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return (line, []) }
        return (Array(line[..<equals]), Array(line[(equals + 1)...]))
    }

    private static func elements(of line: [UInt8]) -> (key: [UInt8], elements: [[UInt8]]) {
        let (key, value) = parts(of: line)
        return (key, value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Array.init))
    }

    private static func line(_ key: [UInt8], _ elements: [[UInt8]]) -> [UInt8] {
        key + [UInt8(ascii: "=")] + elements.joined(separator: [UInt8(ascii: ";")])
    }

    private static func isBlank(_ element: [UInt8]?) -> Bool { element.map { text($0).isEmpty } ?? false }

    /// The text without blanks, tabs and carriage returns at both ends.
    private static func text(_ bytes: [UInt8]) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = bytes.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: start[...last], as: UTF8.self)
    }
}

/// What was put into lists of one group of a key file, so that it can be taken out again.
package struct OwnEntries: Sendable, Hashable {
    package let group: String
    /// What stands in the lists: the name of a desktop entry.
    package let value: String
    /// The keys of the lists, and whether their lines were not there before.
    package internal(set) var keys: [(key: String, madeLine: Bool)] = []
    /// Whether the group was not there before.
    package internal(set) var madeGroup = false

    package init(group: String, value: String) {
        self.group = group
        self.value = value
    }

    mutating func note(_ key: String, madeLine: Bool) { keys.append((key, madeLine)) }

    package static func == (left: OwnEntries, right: OwnEntries) -> Bool {
        left.group == right.group && left.value == right.value && left.madeGroup == right.madeGroup
            && left.keys.elementsEqual(right.keys, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(group)
        hasher.combine(value)
        for (key, madeLine) in keys {
            hasher.combine(key)
            hasher.combine(madeLine)
        }
        hasher.combine(madeGroup)
    }
}
