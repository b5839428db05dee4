internal import Glibc
internal import IPCModel

/// A key file: groups in brackets, `key=value` below them, `#` before comments (Desktop Entry Specification, "Basic
/// format of the file"). Files by other programs may have meaningless lines, and duplicate groups and keys:
/// ``init(bytes:)`` skips meaningless lines and, like GLib, uses the last of several lines with the same key;
/// ``init(_:)`` rejects all these.
package struct KeyFile: Sendable {
    package struct Entry: Sendable, Equatable {
        package let group: String
        package let key: String
        /// The value without blanks around it; escapes are left as they are.
        package let value: String
        /// The line number, counted from 1.
        package let line: Int
        package let text: String

        /// The elements of the value as a list, separated by “;”.
        package var list: [String] {
            value.utf8.split(separator: UInt8(ascii: ";")).map { KeyFile.text(Array($0)[...]) }.filter { !$0.isEmpty }
        }
    }

    package struct Group: Sendable, Equatable {
        package let name: String
        package let line: Int
        package var entries: [Entry] = []

        package subscript(key: String) -> String? { entries.last { $0.key == key }?.value }
    }

    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// The last line is empty if the file ends with a newline.
    private var lines: [KeyFileLine]

    /// Reads a file that other programs may have written. Nothing in it counts as an error.
    package init(bytes: [UInt8] = []) {
        // Bytes are split instead of a string, because "\r\n" in a string is a single character and not a newline.
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { KeyFileLine($0) }
    }

    /// Reads text. Meaningless lines are errors and, as the specification says, so are duplicate groups and keys.
    package init(_ text: String) throws(Malformed) {
        self.init(bytes: Array(text.utf8))
        var (groups, keys) = ([String: Int](), [String: Int]())
        for (number, line) in zip(1..., lines) {
            let reason: String?
            switch line.content {
            case .none: reason = nil
            case .group(let name):
                let name = String(decoding: name, as: UTF8.self)
                reason = groups.updateValue(number, forKey: name).map {
                    "the group [\(name)] appears twice, first on line \($0)"
                }
                keys = [:]
            case .entry(let key, _) where groups.isEmpty:
                reason = "\(Self.text(key).quoted) comes before the first group, such as [Limits]"
            case .entry(let key, _):
                let key = Self.text(key)
                reason = keys.updateValue(number, forKey: key).map {
                    "the key \(key.quoted) appears twice, first on line \($0)"
                }
            case .unknown:
                let text = Self.text(line.bytes)
                let isGroup = text.utf8.first == UInt8(ascii: "[")
                let advice =
                    isGroup ? "not a group; write [Name]" : "not a key and value; write key=value, or start it with #"
                reason = "\(text.quoted) is \(advice)"
            }
            if let reason { throw Malformed(line: number, reason: reason) }
        }
    }

    package var bytes: [UInt8] { Array(lines.map(\.bytes).joined(separator: [UInt8(ascii: "\n")])) }

    package var groups: [Group] {
        var groups: [Group] = []
        for (place, line) in lines.enumerated() {
            if case .group(let name) = line.content {
                // Blanks inside the brackets are part of the name, as in GLib.
                groups.append(Group(name: String(decoding: name, as: UTF8.self), line: place + 1))
            }
            guard let last = groups.indices.last, let entry = entry(at: place, in: groups[last].name) else { continue }
            groups[last].entries.append(entry)
        }
        return groups
    }

    package subscript(group: String) -> Group? { groups.first { $0.name == group } }

    /// The last entry for a key in all groups with this name.
    package func entry(of key: String, in group: String) -> Entry? {
        places(of: key, in: group).last.flatMap { entry(at: $0, in: group) }
    }

    package func value(of key: String, in group: String) -> String? { entry(of: key, in: group)?.value }

    package func list(of key: String, in group: String) -> [String]? { entry(of: key, in: group)?.list }

    package func keys(in group: String) -> [String] { places(in: group).compactMap { entry(at: $0, in: group)?.key } }

    private func entry(at place: Int, in group: String) -> Entry? {
        guard case .entry(let key, let value) = lines[place].content else { return nil }
        return Entry(
            group: group, key: Self.text(key), value: Self.text(value), line: place + 1,
            text: String(decoding: lines[place].bytes, as: UTF8.self))
    }

    /// The line indices of the entries in all groups with this name, or only of those for `key`.
    private func places(of key: String? = nil, in group: String) -> [Int] {
        var isInside = false
        return lines.indices.filter { place in
            switch lines[place].content {
            case .group(let name): isInside = name.elementsEqual(group.utf8)
            case .entry(let own, _): return isInside && (key.map { own.elementsEqual($0.utf8) } ?? true)
            case .none, .unknown: break
            }
            return false
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: KeyFileLine.trimmed(bytes), as: UTF8.self)
    }
}

extension KeyFile {
    /// Inserts a value into the list of a key, before (`inFront`) or after all other values, unless the list already
    /// contains it. All other bytes stay the same. A missing key is added directly below its group's line. A missing
    /// group is added before all others, so it does not matter whether the file ends with a newline. Entries that belong
    /// to no group stay in front of it.
    /// - Parameter own: records each change for ``withdraw(_:)``.
    mutating func insert(
        _ value: String, key: String, group: String, inFront: Bool, noting own: inout OwnEntries
    ) {
        guard let place = places(of: key, in: group).last else {
            if header(of: group) == nil {
                lines.insert(KeyFileLine("[\(group)]"), at: placeOfNewGroup)
                own.madeGroup = true
            }
            lines.insert(KeyFileLine("\(key)=\(value);"), at: header(of: group)! + 1)
            own.note(key, madeLine: true)
            return
        }
        guard list(of: key, in: group)?.contains(value) != true else { return }
        var (head, elements) = lines[place].list
        let isEnded = elements.last.map { KeyFileLine.trimmed($0).isEmpty } ?? false
        elements.insert(Array(value.utf8)[...], at: inFront ? 0 : elements.count - (isEnded ? 1 : 0))
        lines[place] = KeyFileLine(head, elements)
        own.note(key, madeLine: false)
    }

    private var placeOfNewGroup: Int {
        lines.firstIndex(where: \.isGroup) ?? lines.lastIndex(where: \.isEntry).map { $0 + 1 } ?? 0
    }

    /// Removes the value that ``insert(_:key:group:inFront:noting:)`` has inserted, and nothing else.
    mutating func withdraw(_ own: OwnEntries) {
        for noted in own.keys {
            for place in places(of: noted.key, in: own.group).reversed() {
                var (head, elements) = lines[place].list
                guard let element = elements.firstIndex(where: { Self.text($0) == own.value }) else { continue }
                elements.remove(at: element)
                if noted.madeLine && elements.allSatisfy({ KeyFileLine.trimmed($0).isEmpty }) {
                    lines.remove(at: place)
                } else {
                    lines[place] = KeyFileLine(head, elements)
                }
                break
            }
        }
        guard own.madeGroup, let header = header(of: own.group) else { return }
        let body = lines[(header + 1)...].prefix { !$0.isGroup }
        if !body.contains(where: \.isEntry) { lines.remove(at: header) }
    }

    /// The record that would result from inserting the value of `own` into this file.
    func renewed(_ own: OwnEntries) -> OwnEntries {
        var renewed = OwnEntries(group: own.group, value: own.value)
        renewed.madeGroup = header(of: own.group) == nil
        for noted in own.keys { renewed.note(noted.key, madeLine: places(of: noted.key, in: own.group).isEmpty) }
        return renewed
    }

    private func header(of group: String) -> Int? {
        lines.firstIndex { if case .group(let name) = $0.content { name.elementsEqual(group.utf8) } else { false } }
    }
}

/// A line of a key file without its newline.
private struct KeyFileLine: Sendable {
    enum Content: Sendable {
        /// A comment or an empty line.
        case none
        case group(ArraySlice<UInt8>)
        case entry(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)
        case unknown
    }

    let bytes: ArraySlice<UInt8>
    let content: Content

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        let text = Self.trimmed(bytes)
        switch text.first {
        case nil, UInt8(ascii: "#"): content = .none
        case UInt8(ascii: "["):
            let name = text.dropFirst().dropLast()
            let isGroup = text.last == UInt8(ascii: "]") && !name.isEmpty && !name.contains { "[]".utf8.contains($0) }
            content = isGroup ? .group(name) : .unknown
        default:
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
                content = .unknown
                return
            }
            content = .entry(key: Self.trimmed(text[..<equals]), value: Self.trimmed(text[(equals + 1)...]))
        }
    }

    init(_ text: String) { self.init(Array(text.utf8)[...]) }

    init(_ head: ArraySlice<UInt8>, _ elements: [ArraySlice<UInt8>]) {
        self.init(head + elements.joined(separator: [UInt8(ascii: ";")]))
    }

    var isGroup: Bool { if case .group = content { true } else { false } }
    var isEntry: Bool { if case .entry = content { true } else { false } }

    /// The entry up to its first “=”, and the elements of its list, including the blanks around them.
    var list: (head: ArraySlice<UInt8>, elements: [ArraySlice<UInt8>]) {
        let start = bytes.firstIndex(of: UInt8(ascii: "=")).map { $0 + 1 } ?? bytes.endIndex
        return (bytes[..<start], bytes[start...].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false))
    }

    /// The bytes without blanks, tabs and carriage returns at both ends.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = bytes.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
        return start[...last]
    }
}

/// The record of a value that was inserted into lists in one group of a key file, so that it can be removed again.
struct OwnEntries: Sendable, Equatable {
    struct Key: Equatable {
        let key: String
        /// Whether the key's line was created for the value.
        let madeLine: Bool
    }

    let group: String
    /// The inserted value, which is the name of a desktop entry.
    let value: String
    private(set) var keys: [Key] = []
    /// Whether the group was created for the value.
    var madeGroup = false

    init(group: String, value: String) { (self.group, self.value) = (group, value) }

    mutating func note(_ key: String, madeLine: Bool) { keys.append(Key(key: key, madeLine: madeLine)) }
}

extension KeyFile {
    /// The size limit of a file, in bytes.
    static let mostBytes = 65_536

    /// The reason why a file cannot be read at all.
    package enum Unreadable: Error, Equatable, CustomStringConvertible {
        /// The system's error number.
        case system(CInt)
        case tooLong
        case notUTF8

        package var description: String {
            switch self {
            case .system(let number): String(cString: strerror(number))
            case .tooLong: "it has more than \(KeyFile.mostBytes) bytes"
            case .notUTF8: "it is not UTF-8"
            }
        }
    }

    /// Reads a file of at most ``mostBytes``, in the same way as ``init(_:)``.
    /// - Parameter directory: the directory that a relative path starts from.
    /// - Throws: ``Unreadable``, ``Malformed``.
    package init(contentsOf path: String, in directory: CInt = AT_FDCWD, flags: CInt = 0) throws {
        // If this is a pipe, do not wait for a writer. If it is a terminal, do not make it the controlling terminal.
        let file = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags)
        guard file >= 0 else { throw Unreadable.system(errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Unreadable.system(errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.mostBytes else { throw Unreadable.tooLong }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else { throw Unreadable.notUTF8 }
        try self.init(text)
    }
}
