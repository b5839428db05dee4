internal import CLinux
internal import Glibc
package import IPCModel
internal import Synchronization

/// Takes large values into the store: checks each received file, and copies it unless its content can never change,
/// before an operation makes it part of a version. Files are copied in slices on separate threads, so that a value of 4
/// GiB does not delay one of 1 MiB. Small files have a thread that large files never use. Only one buffer of each value
/// is in memory at a time.
package final class ContentIntake: Sendable {
    private let folder: BlobFolder
    private let limits: Limits
    private let small = WorkerThreads("intake-small")
    private let large = WorkerThreads("intake-large")
    private let remover: WorkerThreads
    private let arriving: ArrivingBytes

    /// For files up to this size, the store computes the digest itself, even if the writer supplies one.
    private static let checkedBytes = 1 << 20
    private static let smallBytes = 4 << 20

    init(_ folder: BlobFolder, _ limits: Limits, remover: WorkerThreads) {
        (self.folder, self.limits, self.remover) = (folder, limits, remover)
        arriving = ArrivingBytes(limits)
    }

    /// Checks the files of items, and takes over their bytes. Other values stay unchanged. For a persistent pasteboard,
    /// a file is copied to disk and flushed before this returns. For a pasteboard in memory, and for a sensitive item,
    /// a sealed memory file is kept, and any other file is copied into a new one. A file of up to `inline-value-bytes`
    /// becomes bytes or text. After a failure or a cancellation, no copy remains.
    /// - Throws: `PayloadInvalid` if a descriptor is not a readable regular file, or the file becomes shorter while it
    ///   is copied; `LimitExceeded` if a file is larger than `value-bytes`; `NoSpace` if the disk is full.
    package func take(
        _ items: [PasteboardItem], persistent: Bool, sensitive: Bool
    ) async throws -> [PasteboardItem] {
        let files = items.flatMap(\.files)
        guard !files.isEmpty else { return items }
        let limits = limits
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

    /// Rejects items that are too large for a message, before any bytes are copied.
    private func checkFit(_ items: [PasteboardItem], _ found: [FileInspection]) throws {
        var sizes = found.map { UInt64($0.byteCount) }
        for value in items.flatMap({ $0.representations.map(\.value) }) {
            if case .file = value { continue }
            sizes.append(UInt64(value.byteCount))
        }
        _ = try limits.messageFit(sizes)
    }

    private static func replaceFiles(
        of items: [PasteboardItem], by values: [Representation.Value]
    ) throws -> [PasteboardItem] {
        var rest = values[...]
        return try items.map { item in
            try PasteboardItem(
                item.representations.map { representation in
                    guard case .file = representation.value else { return representation }
                    var value = rest.removeFirst()
                    if case .bytes(let bytes) = value { value = .inMemory(bytes, representation.type) }
                    return Representation(type: representation.type, value: value)
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

    /// Copies a file of the store from memory to disk, or from disk into memory.
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
            // The writer's digest of a large value is not checked. If it is wrong, the value cannot be read.
            if let stated = file.knownDigest, inspection.byteCount > Self.checkedBytes {
                return inMemory(own, stated, isSensitive: isSensitive)
            }
            let digest = try await copy(file, inspection.byteCount, to: .none, on: threads)
            return inMemory(own, digest, isSensitive: isSensitive)
        }
        let memory = try memoryFile(of: inspection.byteCount)
        let digest = try await copy(file, inspection.byteCount, to: .memory(memory), on: threads)
        return inMemory(try seal(memory), digest, isSensitive: isSensitive)
    }

    /// Creates an empty memory file. The corresponding C function is `memfd_create`.
    private func memoryFile(of byteCount: Int) throws -> ContentFile {
        let descriptor = clinux_memory_file("swift-ipc value")
        guard descriptor >= 0 else { throw FileFailure.memoryCondition(errno, byteCount: byteCount, limits) }
        return ContentFile(owning: descriptor, byteCount: byteCount)
    }

    /// Seals the file's length and content, and returns the file opened read-only.
    private func seal(_ file: ContentFile) throws -> ContentFile {
        guard clinux_seal(file.descriptor) == 0, let sealed = file.reopened() else {
            throw FileFailure.memoryCondition(errno, byteCount: file.byteCount, limits)
        }
        return sealed
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
            // The copy is removed before the error is thrown, because the caller may need the space.
            try await threads.run {
                // Frees the space even if the file is still open elsewhere.
                ftruncate(blob.descriptor, 0)
                folder.remove([name])
            }
            throw error
        }
    }

    /// Copies a file in slices, and returns its digest. Slices of other files may be copied in between.
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
    var files: [ContentFile] {
        representations.compactMap { if case .file(let file) = $0.value { file } else { nil } }
    }
}

/// Maps a memory file to keep it out of core dumps and, if the system allows it, out of swap space. Nothing reads the
/// mapping. The corresponding C functions are `mmap`, `mlock` and `madvise`.
private final class LockedFile: Sendable {
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
        // 16 is MADV_DONTDUMP, which keeps the memory out of core dumps.
        madvise(memory, byteCount, 16)
        mlock(memory, byteCount)
    }

    deinit {
        if let memory = UnsafeMutableRawPointer(bitPattern: address) { munmap(memory, byteCount) }
    }
}

/// Counts the bytes of large values while they are copied, because no quota counts them yet. At most `stored-bytes` can
/// be on their way to disk, and at most `memory-bytes` on their way into memory.
private final class ArrivingBytes: Sendable {
    private let limits: Limits
    /// The bytes being copied to disk (true) and into memory (false).
    private let arriving = Mutex<[Bool: UInt64]>([:])

    init(_ limits: Limits) { self.limits = limits }

    /// Runs a body that copies the given number of bytes.
    /// - Throws: `LimitExceeded` if too many bytes are already being copied.
    func during<Value>(
        _ bytes: UInt64, toDisk: Bool, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        try arriving.withLock { arriving in
            let use = arriving[toDisk] ?? 0
            try limits.check(toDisk ? \.storedBytes : \.memoryBytes, use: use, request: bytes)
            arriving[toDisk] = use + bytes
        }
        defer { arriving.withLock { $0[toDisk, default: 0] -= bytes } }
        return try await body()
    }
}
