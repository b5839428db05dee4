internal import IPCModel

/// The files written for one purpose, with their content before and after: enough to restore exactly the earlier state.
struct FileJournal: Sendable {
    struct Entry: Sendable {
        let path: String
        /// The file before it was written; `nil` if there was none.
        var before: FileState?
        var after: [UInt8]
        /// Our values in a file that other programs write as well; `nil` for a file that only this package writes.
        var own: OwnEntries?
    }

    /// Information about the purpose, such as its schemes, for the next time that its files change.
    var facts: [String: String] = [:]
    var entries: [Entry] = []
    /// The folders created for the purpose.
    var directories: [String] = []
}

extension FileJournal {
    private static let facts = "Facts"
    private static let directories = "Directories"

    var text: String {
        var text = "# What ipc-client has written, and what was there before, so that it can undo exactly this.\n"
        text += "[\(Self.facts)]\n"
        for (key, value) in facts.sorted(by: { $0.key < $1.key }) { text += "\(key)=\(KeyFileText.escaped(value))\n" }
        for (number, entry) in entries.enumerated() {
            text += "[File \(number)]\n" + Self.text(of: entry)
        }
        text += "[\(Self.directories)]\n"
        for (number, path) in directories.enumerated() { text += "\(number)=\(KeyFileText.escaped(path))\n" }
        return text
    }

    private static func text(of entry: Entry) -> String {
        var text = "Path=\(KeyFileText.escaped(entry.path))\nAfter=\(entry.after.hexadecimal)\n"
        if let before = entry.before {
            text += "Before=\(before.bytes.hexadecimal)\nBefore-Mode=\(before.mode)\n"
        }
        if let own = entry.own {
            text +=
                "Own-Group=\(own.group)\nOwn-Group-Made=\(own.madeGroup)\nOwn-Value=\(KeyFileText.escaped(own.value))\n"
            text += "Own-Keys=\(own.keys.filter { !$0.madeLine }.map(\.key).joined(separator: ";"))\n"
            text += "Own-Lines=\(own.keys.filter(\.madeLine).map(\.key).joined(separator: ";"))\n"
        }
        return text
    }

    /// Reads a journal; `nil` if the text is not a journal.
    init?(_ text: String) {
        guard let file = try? KeyFile(text), let facts = file[Self.facts] else { return nil }
        for entry in facts.entries { self.facts[entry.key] = KeyFileText.unescaped(entry.value) }
        for group in file.groups where group.name.hasPrefix("File ") {
            guard let entry = Entry(group) else { return nil }
            entries.append(entry)
        }
        directories = file[Self.directories]?.entries.map { KeyFileText.unescaped($0.value) } ?? []
    }
}

extension FileJournal.Entry {
    fileprivate init?(_ group: KeyFile.Group) {
        guard let path = group["Path"], let after = group["After"].flatMap({ [UInt8](hexadecimal: $0) }) else {
            return nil
        }
        self.path = KeyFileText.unescaped(path)
        self.after = after
        if let text = group["Before"] {
            guard let bytes = [UInt8](hexadecimal: text) else { return nil }
            before = FileState(bytes: bytes, mode: group["Before-Mode"].flatMap { UInt32($0) } ?? FileState.usualMode)
        }
        guard let name = group["Own-Group"], let value = group["Own-Value"] else { return }
        var own = OwnEntries(group: name, value: KeyFileText.unescaped(value))
        own.madeGroup = group["Own-Group-Made"] == "true"
        for (list, madeLine) in [("Own-Keys", false), ("Own-Lines", true)] {
            for key in (group[list] ?? "").split(separator: ";") { own.note(String(key), madeLine: madeLine) }
        }
        self.own = own
    }
}

extension FileJournal.Entry {
    /// The result of reverting a file.
    enum Reversion {
        /// The file is already as it was before.
        case unchanged
        /// The file to put back: the earlier file, or the current file without our values; `nil` to remove the file.
        case restored(FileState?)
        /// Another program has changed the file, and our content in it cannot be removed separately.
        case foreign
    }

    func reversion(of current: FileState?) -> Reversion {
        if current?.bytes == before?.bytes { return .unchanged }
        guard let current else { return own == nil ? .foreign : .unchanged }
        if current.bytes == after { return .restored(before) }
        guard let own else { return .foreign }
        let rest = withdrawn(own, from: current)
        return rest == current ? .unchanged : .restored(rest)
    }

    /// The file without our values; `nil` if we created it and it contains nothing else.
    private func withdrawn(_ own: OwnEntries, from state: FileState) -> FileState? {
        var lines = KeyFile(bytes: state.bytes)
        lines.withdraw(own)
        let bytes = lines.bytes
        return bytes.isEmpty && before == nil ? nil : FileState(bytes: bytes, mode: state.mode)
    }
}

extension FileJournal {
    /// Updates this journal when another purpose's file is reverted, as this purpose may have written the file later.
    /// - Returns: whether this purpose has written the file later.
    mutating func forget(_ other: Entry) -> Bool {
        guard let place = entries.firstIndex(where: { $0.path == other.path }) else { return false }
        let standing = entries[place].before
        if standing?.bytes == other.after {
            entries[place].before = other.before
        } else if other.own != nil, case .restored(let state) = other.reversion(of: standing) {
            entries[place].before = state
        } else {
            return false
        }
        // Reverting this journal may now have to remove a group or line that the other purpose created.
        entries[place].own = entries[place].own.map { KeyFile(bytes: entries[place].before?.bytes ?? []).renewed($0) }
        let written = FileState(bytes: entries[place].after, mode: other.before?.mode ?? FileState.usualMode)
        if other.own != nil, case .restored(let state) = other.reversion(of: written) {
            entries[place].after = state?.bytes ?? []
        }
        return true
    }
}
