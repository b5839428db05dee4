internal import Glibc
internal import IPCModel

/// Writes files, and can revert them. Each purpose, such as one application's registration, has a journal in a common
/// folder. A journal is on disk before its files are written, so that they can be reverted even if this program
/// crashes. If other purposes have since written over a reverted file, their journals are updated. So once all purposes
/// are reverted, in any order, the file is as it was before the first one wrote it.
package struct JournaledFiles: Sendable {
    /// The absolute path of the folder of journals. It is created when needed, and removed once it is empty.
    private let folder: String

    package init(folder: String) { self.folder = folder }

    /// The facts in the journal for the purpose `name`; `nil` if no files were written for that purpose.
    package func facts(of name: String) throws(FileFailure) -> [String: String]? { try journal(name)?.facts }

    /// Whether a file that was written for the purpose `name` is no longer there.
    package func lacksFiles(of name: String) throws(FileFailure) -> Bool {
        for entry in try journal(name)?.entries ?? [] where try FileState.read(entry.path) == nil { return true }
        return false
    }

    /// The names of the purposes that have a journal.
    package var names: [String] { Folder.names(folder).filter { !$0.hasSuffix("~") } }

    /// Makes a change while no other process makes one, so what the change reads first still holds when it writes.
    /// The system releases the lock when the process ends.
    package func locked<Result>(_ change: (FolderLock) throws(FileFailure) -> Result) throws(FileFailure) -> Result {
        let lock = try FolderLock(folder)
        defer { lock.release() }
        return try change(lock)
    }

    /// Reverts the files that were previously written for a purpose, writes its new files, and reads them back.
    /// - Parameters:
    ///   - lock: the lock of ``locked(_:)``.
    ///   - cache: the cache to update afterwards.
    ///   - plan: returns the files to write. It is called after the earlier files have been reverted.
    package func write(
        for name: String, facts: [String: String], under lock: FolderLock, cache: MimeCache? = nil,
        plan: () throws(FileFailure) -> [PlannedFile]
    ) throws(FileFailure) -> [FileChange] {
        var observed = ObservedFiles()
        var journal = FileJournal(facts: facts, directories: lock.made)
        var kept: [FileJournal.Entry] = []
        do throws(FileFailure) {
            if let earlier = try self.journal(name) {
                for entry in earlier.entries { try observed.note(entry.path) }
                let paths = try revert(earlier, name, isWrittenNext: true)
                kept = earlier.entries.filter { paths.contains($0.path) }
                journal.directories = earlier.directories + lock.made
            }
            try add(try plan(), to: &journal, over: kept, noting: &observed)
            try put(&journal, name, cache, noting: &observed)
        } catch {
            _ = try revert(try self.journal(name) ?? journal, name)
            throw error
        }
        let changes = try observed.changes()
        let settled = Set(journal.entries.map(\.path) + changes.map(\.path))
        return changes + kept.filter { !settled.contains($0.path) }.map { FileChange(path: $0.path, kind: .kept) }
    }

    /// Reverts the files of a purpose.
    /// - Parameter lock: the lock of ``locked(_:)``.
    /// - Returns: the changes to its files; empty if nothing was written.
    package func revert(_ name: String, under lock: FolderLock) throws(FileFailure) -> [FileChange] {
        guard let journal = try journal(name) else { return [] }
        var observed = ObservedFiles()
        for entry in journal.entries { try observed.note(entry.path) }
        let kept = try revert(journal, name)
        return try observed.changes() + kept.map { FileChange(path: $0, kind: .kept) }
    }

    /// Adds files to a journal.
    /// - Parameter kept: entries of files that were written earlier, and that another program has changed since. They
    ///   still count as ours: reverting the journal restores the files as they were before the first write.
    private func add(
        _ files: [PlannedFile], to journal: inout FileJournal, over kept: [FileJournal.Entry],
        noting observed: inout ObservedFiles
    ) throws(FileFailure) {
        for file in files {
            try observed.note(file.path)
            let earlier = kept.first { $0.path == file.path }
            let before = if let earlier { earlier.before } else { try FileState.read(file.path) }
            guard let entry = file.entry(before: before) else {
                // The original file already had the planned content, so it is put back and needs no journal entry.
                if let earlier { try earlier.before?.write(to: file.path, keepsMode: true) }
                continue
            }
            journal.entries.append(entry)
            journal.directories += Folder.missing(Folder.parent(of: file.path)).filter {
                !journal.directories.contains($0)
            }
        }
    }

    private func put(
        _ journal: inout FileJournal, _ name: String, _ cache: MimeCache?, noting observed: inout ObservedFiles
    ) throws(FileFailure) {
        let cached = journal.entries.isEmpty ? nil : try cache?.journalEntry()
        if let cached { try observed.note(cached.path) }
        try save(journal, name, with: cached.map { [$0] } ?? [])
        for entry in journal.entries { try put(entry) }
        guard let cache, var cached else { return }
        cache.update()
        cached.after = try FileState.read(cached.path)?.bytes ?? []
        if cached.after != cached.before?.bytes ?? [] { journal.entries.append(cached) }
        try save(journal, name)
    }

    private func journal(_ name: String) throws(FileFailure) -> FileJournal? {
        guard let state = try FileState.read("\(folder)/\(name)") else { return nil }
        return FileJournal(String(decoding: state.bytes, as: UTF8.self))
    }

    private func save(_ journal: FileJournal, _ name: String, with more: [FileJournal.Entry] = []) throws(FileFailure) {
        var journal = journal
        journal.entries += more
        try FileState(bytes: Array(journal.text.utf8), mode: 0o600).write(to: "\(folder)/\(name)")
    }

    private func put(_ entry: FileJournal.Entry) throws(FileFailure) {
        _ = try Folder.make(Folder.parent(of: entry.path))
        let state = FileState(bytes: entry.after, mode: entry.before?.mode ?? FileState.usualMode)
        try state.write(to: entry.path, keepsMode: entry.before != nil)
        guard try FileState.read(entry.path)?.bytes == entry.after else { throw FileFailure("write", entry.path, EIO) }
    }

    /// - Parameter isWrittenNext: whether the purpose's files are written again. Its folders stay for them, and its
    ///   journal stays until the next one replaces it: programs that read journals without the lock must not take the
    ///   purpose for reverted.
    /// - Returns: the paths of files left alone, because another program has changed them.
    private func revert(
        _ journal: FileJournal, _ name: String, isWrittenNext: Bool = false
    ) throws(FileFailure) -> [String] {
        var kept: [String] = []
        var others: [String: FileJournal] = [:]
        for other in names where other != name { others[other] = try self.journal(other) }
        for entry in journal.entries.reversed() {
            var isBelowAnother = false
            for other in others.keys where others[other]!.forget(entry) { isBelowAnother = true }
            switch entry.reversion(of: try FileState.read(entry.path)) {
            case .unchanged: break
            case .restored(let state?): try state.write(to: entry.path, keepsMode: true)
            case .restored(nil): try FileState.remove(entry.path)
            case .foreign: if !isBelowAnother { kept.append(entry.path) }
            }
        }
        for (other, journal) in others { try save(journal, other) }
        guard !isWrittenNext else { return kept }
        try FileState.remove("\(folder)/\(name)")
        // Another journal takes over the folders that are still in use, to remove them later.
        let innermostFirst = Set(journal.directories).sorted { $0.utf8.count > $1.utf8.count }
        let used = innermostFirst.filter { rmdir($0) != 0 && Folder.exists($0) }
        if let heir = others.keys.min(), !used.isEmpty {
            others[heir]!.directories += used
            try save(others[heir]!, heir)
        }
        return kept
    }
}
