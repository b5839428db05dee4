internal import Glibc
internal import IPCModel

/// Files that can be taken back: for each purpose a journal, in one folder.
///
/// A journal is on the disk before the files that it tells of, so that whatever ends this program leaves something that
/// can be taken back. When a purpose is taken back whose files others have written over, the journals of those take its
/// place: in whatever order purposes come and go, the last one leaves what stood there before the first.
package struct JournaledFiles: Sendable {
    /// Of the journals; made when it is needed, and removed when it is empty.
    package let folder: String

    /// - Parameter folder: an absolute path.
    package init(folder: String) { self.folder = folder }

    /// What is noted of a purpose; `nil` where nothing was written for it.
    package func facts(of name: String) throws(FileFailure) -> [String: String]? { try journal(name)?.facts }

    /// The purposes for which something is written.
    package var names: [String] { Folder.names(folder).filter { !$0.hasSuffix("~") }.sorted() }

    /// Writes files for a purpose, in the place of all that was written for it before, and reads them back.
    /// - Parameters:
    ///   - update: what changes another file by what was written, such as the cache of desktop entries.
    ///   - plan: the files; asked for when what was written before has been taken back.
    package func write(
        for name: String, facts: [String: String], update: FileUpdate? = nil,
        plan: () throws(FileFailure) -> [PlannedFile]
    ) throws(FileFailure) -> [FileChange] {
        let made = try Folder.make(folder)
        let lock = try FolderLock(folder)
        defer { lock.release() }
        var observed = ObservedFiles()
        var journal = FileJournal(facts: facts, directories: made)
        var kept: [FileJournal.Entry] = []
        do throws(FileFailure) {
            if let earlier = try self.journal(name) {
                for entry in earlier.entries { try observed.note(entry.path) }
                let paths = try takeBack(earlier, name, keepsFolders: true)
                kept = earlier.entries.filter { paths.contains($0.path) }
                journal.directories = earlier.directories + made
            }
            try add(try plan(), to: &journal, over: kept, noting: &observed)
            try put(&journal, name, update, noting: &observed)
        } catch {
            _ = try takeBack(try self.journal(name) ?? journal, name)
            throw error
        }
        let changes = try observed.changes()
        let settled = Set(journal.entries.map(\.path) + changes.map(\.path))
        return changes + kept.filter { !settled.contains($0.path) }.map { FileChange(path: $0.path, kind: .kept) }
    }

    /// Takes back what was written for a purpose.
    /// - Returns: what became of the files; nothing where nothing was written.
    package func takeBack(_ name: String) throws(FileFailure) -> [FileChange] {
        guard try journal(name) != nil else { return [] }
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard let journal = try journal(name) else { return [] }
        var observed = ObservedFiles()
        for entry in journal.entries { try observed.note(entry.path) }
        let kept = try takeBack(journal, name)
        return try observed.changes() + kept.map { FileChange(path: $0, kind: .kept) }
    }

    // MARK: Parts

    /// Adds what there is to do to a journal.
    /// - Parameter kept: what was written before, and somebody has changed since. It is ours all the same: what is to come
    ///   back one day is what stood there before it.
    private func add(
        _ files: [PlannedFile], to journal: inout FileJournal, over kept: [FileJournal.Entry],
        noting observed: inout ObservedFiles
    ) throws(FileFailure) {
        for file in files {
            try observed.note(file.path)
            let earlier = kept.first { $0.path == file.path }
            let before = if let earlier { earlier.before } else { try FileState.read(file.path) }
            guard let entry = file.entry(before: before) else {
                // What stood there before is what is wanted now.
                if let earlier { try earlier.before?.write(to: file.path, keepsMode: true) }
                continue
            }
            journal.entries.append(entry)
            journal.directories += Folder.missing(Folder.parent(of: file.path)).filter {
                !journal.directories.contains($0)
            }
        }
    }

    /// Does what a journal says.
    private func put(
        _ journal: inout FileJournal, _ name: String, _ update: FileUpdate?, noting observed: inout ObservedFiles
    ) throws(FileFailure) {
        guard let update, !journal.entries.isEmpty else {
            try save(journal, name)
            for entry in journal.entries { try put(entry) }
            return
        }
        var updated = try update.entry()
        try observed.note(updated.path)
        try save(journal, name, with: updated)
        for entry in journal.entries { try put(entry) }
        update.run()
        updated.after = try FileState.read(updated.path)?.bytes ?? []
        if updated.after != updated.before?.bytes ?? [] { journal.entries.append(updated) }
        try save(journal, name)
    }

    private func journal(_ name: String) throws(FileFailure) -> FileJournal? {
        guard let state = try FileState.read("\(folder)/\(name)") else { return nil }
        return FileJournal(String(decoding: state.bytes, as: UTF8.self))
    }

    private func save(_ journal: FileJournal, _ name: String, with more: FileJournal.Entry? = nil) throws(FileFailure) {
        var journal = journal
        if let more { journal.entries.append(more) }
        try FileState(bytes: Array(journal.text.utf8), mode: 0o600).write(to: "\(folder)/\(name)")
    }

    private func put(_ entry: FileJournal.Entry) throws(FileFailure) {
        _ = try Folder.make(Folder.parent(of: entry.path))
        let state = FileState(bytes: entry.after, mode: entry.before?.mode ?? FileState.usualMode)
        try state.write(to: entry.path, keepsMode: entry.before != nil)
        guard try FileState.read(entry.path)?.bytes == entry.after else { throw FileFailure("write", entry.path, EIO) }
    }

    /// - Parameter keepsFolders: whether the folders are left to who writes next.
    /// - Returns: the files that somebody else has changed, and that stay.
    @discardableResult
    private func takeBack(
        _ journal: FileJournal, _ name: String, keepsFolders: Bool = false
    ) throws(FileFailure) -> [String] {
        var kept: [String] = []
        var others: [String: FileJournal] = [:]
        for other in names where other != name { others[other] = try self.journal(other) }
        for entry in journal.entries.reversed() {
            var isBelowAnother = false
            for other in others.keys where others[other]!.giveUp(entry) { isBelowAnother = true }
            switch entry.state(from: try FileState.read(entry.path)) {
            case .unchanged: break
            case .restored(let state?): try state.write(to: entry.path, keepsMode: true)
            case .restored(nil): try FileState.remove(entry.path)
            case .foreign: if !isBelowAnother { kept.append(entry.path) }
            }
        }
        for (other, journal) in others { try save(journal, other) }
        try FileState.remove("\(folder)/\(name)")
        guard !keepsFolders else { return kept }
        // Who goes last takes the folders that are in use.
        let innermostFirst = Set(journal.directories).sorted { $0.utf8.count > $1.utf8.count }
        let used = innermostFirst.filter { rmdir($0) != 0 && Folder.exists($0) }
        if let heir = others.keys.min(), !used.isEmpty {
            others[heir]!.directories += used
            try save(others[heir]!, heir)
        }
        return kept
    }
}

/// What files were before something was done, to tell what has become of them.
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
            switch (before, now) {
            case (nil, .some): changes.append(FileChange(path: path, kind: .made))
            case (.some, nil): changes.append(FileChange(path: path, kind: .removed))
            case _ where before?.bytes != now?.bytes: changes.append(FileChange(path: path, kind: .changed))
            default: break
            }
        }
        return changes
    }
}
