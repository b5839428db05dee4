internal import Glibc
internal import IPCModel
internal import Synchronization

/// The values of versions that are files: blobs by their names in the folder, those in memory by their descriptors.
///
/// Which of the two a value is follows from the database in which its row is. What happens to a file follows the
/// transaction: by ``GroupTransaction`` where an operation fails or a group is lost, and by ``committed()`` else.
final class StoredFiles {
    let folder: BlobFolder
    private let transaction: GroupTransaction
    private let limits: Limits
    private let remover: WorkerThreads
    private let willRemove: @Sendable () -> Void
    /// The files of the rows in memory, by key.
    private var inMemory: [UInt64: ContentFile] = [:] {
        didSet { statistics.keeps(memoryFiles: inMemory.count) }
    }
    private let statistics: StoreStatistics
    /// The keys of blobs whose rows the group has deleted.
    private var released: Set<UInt64> = []
    /// Whether names of blobs are to be made durable before the next rows are.
    private(set) var mustSynchronize = false
    /// The memory files whose rows the group has deleted.
    private var letGo: [ContentFile] = []

    init(
        _ folder: BlobFolder, _ transaction: GroupTransaction, statistics: StoreStatistics, remover: WorkerThreads
    ) {
        (self.folder, self.transaction, self.statistics, self.remover) = (folder, transaction, statistics, remover)
        (limits, willRemove) = (transaction.configuration.limits, transaction.configuration.willRemove)
    }

    /// The number of values that are memory files, and so open descriptors.
    var memoryCount: Int { inMemory.count }

    /// Whether files are to go when the group is on the disk.
    var mustSettle: Bool { !released.isEmpty || !letGo.isEmpty }

    /// Makes the names of the group's blobs durable, before the rows that refer to them are.
    func prepareCommit() throws {
        guard mustSynchronize else { return }
        try folder.synchronize()
        mustSynchronize = false
    }

    /// Removes the blobs that no row on the disk refers to any more, on another thread.
    ///
    /// They lose the names of their rows at once: a pasteboard that moves to memory and back has rows with the same
    /// keys again, and their blobs are not to be removed late in the place of those.
    func committed() {
        closeMemoryFiles()
        guard !released.isEmpty else { return }
        let (folder, willRemove) = (folder, willRemove)
        let names = released.compactMap { folder.putAside($0, in: nil) }
        released.removeAll()
        remover.add {
            willRemove()
            folder.remove(names)
        }
    }
}

// MARK: Values

extension StoredFiles {
    /// Closes the memory files that the group has let go of, on another thread: to give the pages of a large one back takes
    /// as long as to copy half of it, and who waits for the commit need not wait for that.
    private func closeMemoryFiles() {
        guard !letGo.isEmpty else { return }
        let last = LastReferences(letGo)
        letGo.removeAll()
        remover.add { last.drop() }
    }

    /// Keeps files until they are dropped, wherever the last one who knows of it ends.
    private final class LastReferences: Sendable {
        private let files: Mutex<[ContentFile]>
        init(_ files: [ContentFile]) { self.files = Mutex(files) }
        func drop() { files.withLock { $0 = [] } }
    }
}

/// A file has not been taken for the place where its version is kept: the pasteboard has moved meanwhile.
package struct IntakeOutdated: Error {
    /// Whether a file on the disk is wanted; nil where that is not known.
    package let toDisk: Bool?
}

extension StoredFiles {
    /// Makes a taken file the value of a row that was written; nothing for other values.
    ///
    /// `IntakeOutdated` where the file is not where the row is, or where the group has let go of a blob with the same
    /// key, which may come back with it: the next group takes the file. `LimitExceeded` where memory holds as many files as
    /// `descriptors` says.
    func attach(_ value: Representation.Value, key: UInt64, _ area: Area) throws {
        guard case .file(let file) = value else { return }
        let toDisk = area == .persistent
        guard !toDisk || !released.contains(key) else { throw IntakeOutdated(toDisk: toDisk) }
        guard let taken = file.taken, (taken.place == .memory) != toDisk, taken.attach() else {
            throw IntakeOutdated(toDisk: toDisk)
        }
        switch taken.place {
        case .memory:
            do {
                // A process without a descriptor left is thrown off the bus (I17).
                try limits.check(\.descriptors, use: UInt64(inMemory.count), request: 1)
            } catch {
                taken.detach()
                throw error
            }
            let earlier = inMemory[key]
            transaction.onUndo { [self] in inMemory[key] = earlier }
            inMemory[key] = file
        case .blob(let incoming):
            do {
                try folder.attach(incoming, as: key)
            } catch {
                taken.detach()
                throw error
            }
            mustSynchronize = true
            transaction.onUndo { [self] in
                folder.detach(key, to: incoming)
                taken.detach()
            }
        }
    }

    /// Lets go of the file that is the value of a row which was deleted.
    func release(_ key: UInt64, _ area: Area) {
        switch area {
        case .volatile:
            guard let file = inMemory.removeValue(forKey: key) else { return }
            transaction.onUndo { [self] in inMemory[key] = file }
            letGo.append(file)
        case .persistent:
            guard released.insert(key).inserted else { return }
            transaction.onUndo { [self] in released.remove(key) }
        }
    }

    /// A file that is held in memory.
    func held(_ key: UInt64) -> ContentFile? { inMemory[key] }

    /// Blobs of no more bytes than these are compared with their digest when they are read.
    private static let checkedBytes: UInt64 = 1 << 20

    /// Opens the value of a row anew; nil where it is not what was written.
    ///
    /// A blob of up to ``checkedBytes`` is compared with its digest; that of a larger one is left to its reader.
    func open(_ head: RepresentationRow, key: UInt64, _ area: Area) throws -> ContentFile? {
        switch area {
        case .volatile:
            guard let kept = inMemory[key] else { return nil }
            if let file = kept.reopened() { return file }
            if errno == EMFILE || errno == ENFILE { throw FileFailure.noDescriptors(limits) }
            return nil
        case .persistent:
            guard let descriptor = try folder.open(key, size: head.size) else { return nil }
            let file = ContentFile(owning: descriptor, byteCount: Int(head.size), knownDigest: head.digest)
            guard head.size <= Self.checkedBytes else { return file }
            let copy = try FileCopy(of: file, byteCount: file.byteCount, to: .none, limits)
            // The length is right, so that it is the disk which does not give the bytes.
            do { try copy.copy(0..<file.byteCount) } catch { throw FileFailure.unreadable(EIO, limits) }
            return copy.digest == head.digest ? file : nil
        }
    }

    // MARK: Orphans

    /// Gives the files of keys that no row has a new name, and gives those names.
    func putOrphansAside(_ keys: [UInt64], in folder: String?) throws -> [String] {
        try keys.compactMap { key in
            // What the group has deleted may come back with it.
            guard !released.contains(key), try !hasFile(key) else { return nil }
            return self.folder.putAside(key, in: folder)
        }
    }

    /// Whether a row may refer to a file; a damaged one may.
    private func hasFile(_ key: UInt64) throws -> Bool {
        try transaction.statement(
            "SELECT id, item, kind, type, size, digest, checksum FROM @.representation WHERE id = ?", .persistent
        ).first([.number(key)]) { row in
            guard let head = RepresentationRow(row) else { return true }
            return head.kind == RepresentationRow.fileKind
        } ?? false
    }
}

extension StoreTransaction {
    /// The number of values that are memory files, and so open descriptors.
    package var memoryFileCount: Int { session.files.memoryCount }
}
