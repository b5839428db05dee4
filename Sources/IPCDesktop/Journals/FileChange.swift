/// What has become of one file.
package struct FileChange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// There was none before.
        case made
        /// There was one, with other content.
        case changed
        case removed
        /// It stays, for somebody else has changed it since it was written.
        case kept
    }

    package let path: String
    package let kind: Kind
}

/// A file that is to be written.
package struct PlannedFile: Sendable {
    package let path: String
    let content: Content

    enum Content: Sendable {
        case whole([UInt8])
        case lists(OwnEntries, [Insertion])
    }

    /// A key into whose list a value goes, in front or behind the others.
    package typealias Insertion = (key: String, inFront: Bool)

    /// A file that belongs to nobody else.
    package static func whole(_ path: String, _ text: String) -> PlannedFile {
        PlannedFile(path: path, content: .whole(Array(text.utf8)))
    }

    /// A value in lists of a key file that others write too.
    package static func value(_ value: String, in insertions: [Insertion], group: String, of path: String)
        -> PlannedFile
    {
        PlannedFile(path: path, content: .lists(OwnEntries(group: group, value: value), insertions))
    }

    /// What there is to write in the place of what stands there; `nil` where that is right.
    func entry(before: FileState?) -> FileJournal.Entry? {
        var (after, own) = (before?.bytes, OwnEntries?.none)
        switch content {
        case .whole(let bytes): after = bytes
        case .lists(var entries, let insertions):
            var lines = KeyFile(bytes: before?.bytes ?? [])
            for insertion in insertions.reversed() {
                lines.insert(
                    entries.value, key: insertion.key, group: entries.group, inFront: insertion.inFront,
                    noting: &entries)
            }
            if !entries.keys.isEmpty { (after, own) = (lines.bytes, entries) }
        }
        guard let after, after != before?.bytes else { return nil }
        return FileJournal.Entry(path: path, before: before, after: after, own: own)
    }
}
