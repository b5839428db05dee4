internal import CLinux
internal import Glibc
package import IPCModel

/// The way of large values into the store: each file that somebody sent is checked and, unless nobody can change it any
/// more, copied, before an operation makes it part of a version.
///
/// Copying happens in slices on threads of its own, so that a value of 4 GiB and one of 1 MiB go on side by side; small
/// files have a thread that no large one ever takes. Never more than a buffer of a value is in memory.
package final class ContentIntake: Sendable {
    private let folder: BlobFolder
    private let limits: Limits
    private let small = WorkerThreads("intake-small")
    private let large = WorkerThreads("intake-large")
    private let remover: WorkerThreads
    private let arriving: ArrivingBytes

    /// Of files up to this many bytes the digest is made here, whatever their writer says.
    private static let checkedBytes = 1 << 20
    /// Files up to this many bytes go by the thread for small ones.
    private static let smallBytes = 4 << 20

    init(_ folder: BlobFolder, _ limits: Limits, remover: WorkerThreads) {
        (self.folder, self.limits, self.remover) = (folder, limits, remover)
        arriving = ArrivingBytes(limits)
    }

    /// Checks the files of items and takes over their bytes; values without a file stay as they are.
    ///
    /// For a persistent pasteboard a file is copied to the disk, and is there when this returns; for one in memory, and
    /// always where it is sensitive, a sealed memory file is kept and anything else is copied into one. A file of no
    /// more than `inline-value-bytes` becomes bytes. Where it is cancelled or fails, nothing is left behind.
    ///
    /// `PayloadInvalid` where a descriptor is not a regular file that can be read, or becomes shorter meanwhile;
    /// `LimitExceeded` where one is larger than `value-bytes`; `NoSpace` where the disk is full.
    package func take(
        _ items: [PasteboardItem], persistent: Bool, sensitive: Bool
    ) async throws -> [PasteboardItem] {
        let files = items.flatMap(\.files)
        guard !files.isEmpty else { return items }
        let limits = limits
        // All are looked at before the first is read.
        let found = try await small.run { try files.map { try FileInspection($0, limits) } }
        try checkFit(items, found)
        let toDisk = persistent && !sensitive
        let bytes = found.reduce(0) { $0 + UInt64($1.byteCount) }
        return try await arriving.during(bytes, toDisk: toDisk) {
            var values: [Representation.Value] = []
            for (file, inspection) in zip(files, found) {
                values.append(try await value(file, inspection, toDisk: toDisk, isSensitive: sensitive))
            }
            return try Self.replaceFiles(of: items, by: values)
        }
    }

    /// What fits no message is refused before a byte of it is copied.
    private func checkFit(_ items: [PasteboardItem], _ found: [FileInspection]) throws {
        var sizes = found.map { UInt64($0.byteCount) }
        for value in items.flatMap({ $0.representations.map(\.value) }) {
            if case .file = value { continue }
            sizes.append(UInt64(value.byteCount))
        }
        do { _ = try limits.messageFit(sizes) } catch { throw PasteboardError.limitExceeded(error) }
    }

    private static func replaceFiles(
        of items: [PasteboardItem], by values: [Representation.Value]
    ) throws -> [PasteboardItem] {
        var rest = values[...]
        return try items.map { item in
            try PasteboardItem(
                item.representations.map { representation in
                    guard case .file = representation.value else { return representation }
                    return Representation(type: representation.type, value: rest.removeFirst())
                })
        }
    }

    private func value(
        _ file: ContentFile, _ inspection: FileInspection, toDisk: Bool, isSensitive: Bool
    ) async throws -> Representation.Value {
        guard inspection.byteCount > Int(clamping: limits.inlineValueBytes) else {
            let limits = limits
            return .bytes(
                try await small.run { try FileCopy.bytes(of: file, byteCount: inspection.byteCount, limits) })
        }
        return .file(try await take(file, inspection, toDisk: toDisk, isSensitive: isSensitive))
    }

    /// Takes over a file that the store has already, for the other place.
    func take(_ file: ContentFile, toDisk: Bool) async throws -> ContentFile {
        let limits = limits
        let inspection = try await small.run { try FileInspection(file, limits) }
        return try await take(file, inspection, toDisk: toDisk, isSensitive: false)
    }

    private func take(
        _ file: ContentFile, _ inspection: FileInspection, toDisk: Bool, isSensitive: Bool
    ) async throws -> ContentFile {
        if let taken = file.taken, taken.canBeAttached, (taken.place == .memory) != toDisk { return file }
        let threads = inspection.byteCount > Self.smallBytes ? large : small
        if toDisk { return try await copyToDisk(file, inspection.byteCount, on: threads) }
        if inspection.isFixed, let own = file.reopened() {
            // Whoever states a wrong one has written what nobody can read; smaller values are always looked at.
            if let stated = file.knownDigest, inspection.byteCount > Self.checkedBytes {
                return inMemory(own, stated, isSensitive: isSensitive)
            }
            let digest = try await copy(file, inspection.byteCount, to: .none, on: threads)
            return inMemory(own, digest, isSensitive: isSensitive)
        }
        let memory = try MemoryFile(byteCount: inspection.byteCount, limits)
        let digest = try await copy(file, inspection.byteCount, to: .memory(memory.file), on: threads)
        return inMemory(try memory.seal(), digest, isSensitive: isSensitive)
    }

    private func inMemory(_ file: ContentFile, _ digest: ContentDigest, isSensitive: Bool) -> ContentFile {
        let locked = isSensitive ? LockedFile(file) : nil
        let taken = ContentFile.Taken(digest: digest, place: .memory) { withExtendedLifetime(locked) {} }
        return ContentFile(sharing: file, taken: taken)
    }

    private func copyToDisk(
        _ file: ContentFile, _ byteCount: Int, on threads: WorkerThreads
    ) async throws -> ContentFile {
        let folder = folder
        let remover = remover
        let (name, descriptor) = try await threads.run { try folder.makeIncoming() }
        let blob = ContentFile(owning: descriptor, byteCount: byteCount)
        do {
            let digest = try await copy(file, byteCount, to: .blob(blob), on: threads)
            let taken = ContentFile.Taken(digest: digest, place: .blob(name)) {
                remover.add { folder.remove([name]) }
            }
            return ContentFile(sharing: blob, taken: taken)
        } catch {
            // Before the caller learns of it: the room is needed.
            try await threads.run {
                blob.empty()
                folder.remove([name])
            }
            throw error
        }
    }

    /// Copies a file slice by slice; others take their turns between them.
    private func copy(
        _ file: ContentFile, _ byteCount: Int, to target: FileCopy.Target, on threads: WorkerThreads
    ) async throws -> ContentDigest {
        let copy = try FileCopy(of: file, byteCount: byteCount, to: target, limits)
        for slice in copy.slices {
            try Task.checkCancellation()
            try await threads.run { try copy.copy(slice) }
        }
        try await threads.run { try copy.synchronize() }
        return copy.digest
    }
}

extension PasteboardItem {
    /// The files among the values, in their order.
    var files: [ContentFile] {
        representations.compactMap { if case .file(let file) = $0.value { file } else { nil } }
    }
}

extension ContentFile {
    /// Gives the room of a file back although it is still open. The corresponding C function is `ftruncate`.
    fileprivate func empty() { ftruncate(descriptor, 0) }
}

/// A memory file of the store's own that is being filled.
struct MemoryFile {
    let file: ContentFile
    private let limits: Limits

    /// Makes an empty one. The corresponding C function is `memfd_create`.
    init(byteCount: Int, _ limits: Limits) throws {
        let descriptor = clinux_memory_file("swift-ipc value")
        guard descriptor >= 0 else { throw FileFailure.memoryCondition(errno, byteCount: byteCount, limits) }
        file = ContentFile(owning: descriptor, byteCount: byteCount)
        self.limits = limits
    }

    /// Fixes length and content, and gives the file opened read-only.
    func seal() throws -> ContentFile {
        guard clinux_seal(file.descriptor) == 0, let sealed = file.reopened() else {
            throw FileFailure.memoryCondition(errno, byteCount: file.byteCount, limits)
        }
        return sealed
    }
}

/// A mapping that keeps a memory file from being swapped out, where the system allows that much, and out of dumps.
///
/// The corresponding C functions are `mmap`, `mlock` and `madvise`; nothing is read through the mapping.
final class LockedFile: Sendable {
    private let address: UInt
    private let byteCount: Int

    init(_ file: ContentFile) {
        byteCount = file.byteCount
        guard byteCount > 0, let memory = mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.descriptor, 0),
            memory != MAP_FAILED
        else {
            address = 0
            return
        }
        address = UInt(bitPattern: memory)
        // MADV_DONTDUMP
        madvise(memory, byteCount, 16)
        mlock(memory, byteCount)
    }

    deinit {
        if let memory = UnsafeMutableRawPointer(bitPattern: address) { munmap(memory, byteCount) }
    }
}
