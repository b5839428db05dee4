internal import CLinux
internal import Glibc
internal import IPCModel
internal import Synchronization

/// Reads a file in slices, up to its original length, computes a digest, and writes a copy if there is a target. Each
/// part is read once, and digested and written from the same buffer, so later writes to the source cannot make the
/// digest wrong. No page is mapped, so a source that shrinks causes an error instead of a signal.
final class FileCopy: Sendable {
    enum Target {
        case none
        case memory(ContentFile)
        case blob(ContentFile)
    }

    private let source: ContentFile
    private let byteCount: Int
    private let target: Target
    private let limits: Limits
    private let stream: Mutex<ContentDigestStream>

    /// A buffer fits the processor's cache, so that the bytes stay there until they are digested and written.
    private static let bufferBytes = 512 << 10
    private static let sliceBytes = 8 << 20

    init(of source: ContentFile, byteCount: Int, to target: Target, _ limits: Limits) throws {
        stream = Mutex(try ContentDigestStream())
        (self.source, self.byteCount, self.target, self.limits) = (source, byteCount, target, limits)
    }

    var slices: [Range<Int>] {
        stride(from: 0, to: byteCount, by: Self.sliceBytes).map { $0..<min($0 + Self.sliceBytes, byteCount) }
    }

    var digest: ContentDigest { stream.withLock { $0.digest } }

    /// - Throws: `PayloadInvalid` if the source has become shorter, `NoSpace` if the disk is full.
    func copy(_ slice: Range<Int>) throws {
        try stream.withLock { digest in
            // The buffer consists of whole pages, because the source may be open with O_DIRECT.
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(Self.bufferBytes, (slice.count + 4_095) / 4_096 * 4_096), alignment: 4_096)
            defer {
                // The buffer is wiped, because a value that is kept in memory may be a secret.
                if case .memory = target, let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
                buffer.deallocate()
            }
            var position = slice.lowerBound
            while position < slice.upperBound {
                let count = min(try read(into: buffer, at: position), slice.upperBound - position)
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                digest.add(bytes)
                try write(bytes, at: position)
                position += count
            }
        }
        // Starts writing to disk early: a single flush at the end of a long file would take as long as the copying.
        if case .blob(let file) = target {
            clinux_begin_write_back(file.descriptor, slice.lowerBound, slice.count)
        }
    }

    /// Flushes the copy if it is a blob. The corresponding C function is `fdatasync`.
    func synchronize() throws {
        guard case .blob(let file) = target else { return }
        let error = FlushThread.flushHere(file.descriptor)
        guard error == 0 else { throw FileFailure.condition(error, limits) }
    }

    static func bytes(of file: ContentFile, byteCount: Int, _ limits: Limits) throws -> [UInt8] {
        let copy = try FileCopy(of: file, byteCount: byteCount, to: .none, limits)
        return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            while count < byteCount {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                count += try copy.read(into: rest, at: count)
            }
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws -> Int {
        while true {
            let count = pread(source.descriptor, buffer.baseAddress, buffer.count, position)
            if count > 0 { return count }
            if count == 0 {
                throw FileInspection.invalid("had \(byteCount) bytes, but now has only \(position)")
            }
            guard errno == EINTR else {
                throw FileInspection.invalid("cannot be read: \(FileFailure.sentence(errno))")
            }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws {
        let descriptor: CInt
        switch target {
        case .none: return
        case .memory(let file), .blob(let file): descriptor = file.descriptor
        }
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position + written)
            guard count > 0 || errno == EINTR else {
                if case .memory = target { throw FileFailure.memoryCondition(errno, byteCount: byteCount, limits) }
                throw FileFailure.condition(errno, limits)
            }
            written += max(0, count)
        }
    }
}
