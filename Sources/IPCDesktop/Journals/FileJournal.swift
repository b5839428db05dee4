internal import IPCModel

/// What was written for one purpose, and what stood there before: enough to bring exactly that back.
struct FileJournal: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let path: String
        /// What stood there; `nil` where nothing did.
        var before: FileState?
        /// The bytes that were written.
        var after: [UInt8]
        /// In a file that others write too: what is ours in it.
        var own: OwnEntries?
    }

    /// Of what the entries are about, by words of its own.
    var facts: [String: String] = [:]
    var entries: [Entry] = []
    /// Folders that were made for it.
    var directories: [String] = []
}

// MARK: As a key file

extension FileJournal {
    private static let facts = "Facts"
    private static let directories = "Directories"

    var text: String {
        var text = "# What ipc-client has written, and what stood there before: it takes back exactly this.\n"
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

    /// Reads a journal.
    /// - Returns: `nil` for what is none.
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
