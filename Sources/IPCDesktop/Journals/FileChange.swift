package struct FileChange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// There was no file before.
        case made
        /// There was a file with other content.
        case changed
        case removed
        /// The file was left alone, because another program has changed it since it was written.
        case kept
    }

    package let path: String
    package let kind: Kind
}

package enum PlannedFile: Sendable {
    /// A file that only this package writes.
    case whole(_ path: String, _ text: String)
    /// A value to insert into lists of a key file that other programs write as well: `in` names the keys of the lists,
    /// and whether the value goes before the other values or after them.
    case value(String, in: [(key: String, inFront: Bool)], group: String, of: String)

    var path: String {
        switch self {
        case .whole(let path, _), .value(_, in: _, group: _, of: let path): path
        }
    }

    /// The change to the file, as a journal records it; `nil` if the file already has the planned content.
    func entry(before: FileState?) -> FileJournal.Entry? {
        var (after, own) = (before?.bytes, OwnEntries?.none)
        switch self {
        case .whole(_, let text): after = Array(text.utf8)
        case .value(let value, let insertions, let group, _):
            var entries = OwnEntries(group: group, value: value)
            var lines = KeyFile(bytes: before?.bytes ?? [])
            for insertion in insertions.reversed() {
                lines.insert(value, key: insertion.key, group: group, inFront: insertion.inFront, noting: &entries)
            }
            if !entries.keys.isEmpty { (after, own) = (lines.bytes, entries) }
        }
        guard let after, after != before?.bytes else { return nil }
        return FileJournal.Entry(path: path, before: before, after: after, own: own)
    }
}

/// The state of files before an operation, from which the resulting changes are computed.
struct ObservedFiles {
    private var states: [(path: String, before: FileState?)] = []

    mutating func note(_ path: String) throws(FileFailure) {
        guard !states.contains(where: { $0.path == path }) else { return }
        states.append((path, try FileState.read(path)))
    }

    func changes() throws(FileFailure) -> [FileChange] {
        var changes: [FileChange] = []
        for (path, before) in states {
            let now = try FileState.read(path)
            guard before?.bytes != now?.bytes else { continue }
            changes.append(FileChange(path: path, kind: before == nil ? .made : now == nil ? .removed : .changed))
        }
        return changes
    }
}
