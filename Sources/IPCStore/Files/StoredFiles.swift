internal import Glibc
internal import IPCModel
internal import Synchronization

/// The large values of versions: blobs for rows on disk, memory files for rows in memory. They follow the transaction:
/// ``GroupTransaction`` undoes changes to them, and ``settle()`` completes the changes after a flush.
final class StoredFiles {
    let folder: BlobFolder
    private let transaction: GroupTransaction
    private let limits: Limits
    private let remover: WorkerThreads
    private let willRemove: @Sendable () -> Void
    /// The memory files of the rows in memory, by the rows' keys.
    private var inMemory: [UInt64: ContentFile] = [:] {
        didSet { statistics.keeps(memoryFiles: inMemory.count) }
    }
    private let statistics: StoreStatistics
    /// The keys of blobs whose rows the current group has deleted.
    private var released: Set<UInt64> = []
    /// The memory files whose rows the current group has deleted.
    private var releasedFromMemory: [ContentFile] = []
    /// Whether the names of blobs must be made durable before the next commit.
    private(set) var mustSynchronize = false

    init(
        _ folder: BlobFolder, _ transaction: GroupTransaction, statistics: StoreStatistics, remover: WorkerThreads
    ) {
        (self.folder, self.transaction, self.statistics, self.remover) = (folder, transaction, statistics, remover)
        (limits, willRemove) = (transaction.configuration.limits, transaction.configuration.willRemove)
    }

    var mustSettle: Bool { !released.isEmpty || !releasedFromMemory.isEmpty }

    func prepareCommit() throws {
        guard mustSynchronize else { return }
        try folder.synchronize()
        mustSynchronize = false
    }

    /// Removes the released files on another thread, because freeing the pages of a large memory file takes half as
    /// long as copying it. Blobs are renamed at once: if a pasteboard moves to memory and back, its rows get the same
    /// keys again, and a late removal must not hit their new blobs.
    func settle() {
        if !releasedFromMemory.isEmpty {
            let last = LastReferences(releasedFromMemory)
            releasedFromMemory.removeAll()
            remover.add { last.drop() }
        }
        guard !released.isEmpty else { return }
        let (folder, willRemove) = (folder, willRemove)
        let names = released.compactMap { folder.putAside($0, in: nil) }
        released.removeAll()
        remover.add {
            willRemove()
            folder.remove(names)
        }
    }

    /// References to files. ``drop()`` releases them even if a thread still holds the closure that called it.
    private final class LastReferences: Sendable {
        private let files: Mutex<[ContentFile]>
        init(_ files: [ContentFile]) { self.files = Mutex(files) }
        func drop() { files.withLock { $0 = [] } }
    }
}

/// Thrown if a file was prepared on disk, but its pasteboard has moved into memory meanwhile, or the other way round.
package struct IntakeOutdated: Error {
    /// Whether the file must be on disk (true) or in memory (false); `nil` if that is not known.
    package let toDisk: Bool?
}

extension StoredFiles {
    /// Attaches a file, already taken over by the store, to its row. Does nothing if the value is not a file.
    /// - Throws: ``IntakeOutdated`` if the file is on disk but belongs in memory, or the other way round; or if the
    ///   group has released a blob with the same key, because undoing the group would bring that blob back.
    ///   `LimitExceeded` if memory already holds as many files as `descriptors` allows.
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
                // Some descriptors must stay free, because the bus disconnects a process that has none left (I17).
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

    func release(_ key: UInt64, _ area: Area) {
        switch area {
        case .volatile:
            guard let file = inMemory.removeValue(forKey: key) else { return }
            transaction.onUndo { [self] in inMemory[key] = file }
            releasedFromMemory.append(file)
        case .persistent:
            guard released.insert(key).inserted else { return }
            transaction.onUndo { [self] in released.remove(key) }
        }
    }

    func held(_ key: UInt64) -> ContentFile? { inMemory[key] }

    /// Blobs larger than this are not checked against their digest when they are opened.
    private static let checkedBytes: UInt64 = 1 << 20

    /// Opens a new descriptor for a row's file; `nil` if it is damaged. The reader checks the digest of a large blob.
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
            // The file has the right length, so a short read is a disk error.
            do { try copy.copy(0..<file.byteCount) } catch {
                throw FileFailure.condition(EIO, limits, cannotBe: "read")
            }
            return copy.digest == head.digest ? file : nil
        }
    }

    /// Of the files with these keys, renames those that have no row, and returns their new names.
    func putOrphansAside(_ keys: [UInt64], in folder: String?) throws -> [String] {
        try keys.compactMap { key in
            // A file that the group has released stays, because undoing the group restores its row.
            guard !released.contains(key), try !hasFile(key) else { return nil }
            return self.folder.putAside(key, in: folder)
        }
    }

    /// Whether the row with a key refers to a file. Also true for a damaged row, because it might refer to one.
    private func hasFile(_ key: UInt64) throws -> Bool {
        try transaction.statement(
            "SELECT id, item, kind, type, size, digest, checksum FROM @.representation WHERE id = ?", .persistent
        ).first([.number(key)]) { row in
            guard let head = RepresentationRow(row) else { return true }
            return head.kind == RepresentationRow.fileKind
        } ?? false
    }
}
