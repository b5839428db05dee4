internal import Glibc
internal import Synchronization

/// A value outside the memory of its process: an open file whose bytes do not change.
///
/// Large values travel as file descriptors. The descriptor is owned here and closed with the last reference; its place
/// is never read or moved, so that several readers can share it.
public final class ContentFile: Sendable {
    /// The open file, for reading.
    public let descriptor: CInt
    /// The length of the file in bytes.
    public let byteCount: Int
    /// The digest of the bytes as they were written; nil where nobody has told it.
    package let knownDigest: ContentDigest?
    /// What the store knows of a file that it has checked; nil for any other.
    package let taken: Taken?
    /// The object that closes the descriptor in the place of this one.
    private let owner: (any AnyObject & Sendable)?
    /// Where the whole file is mapped, for as long as this lives; 0 where it is not.
    private let mapping = Mutex<UInt>(0)

    /// Takes over a descriptor of a regular file, or of a memory file, with so many bytes.
    public convenience init(owning descriptor: CInt, byteCount: Int) {
        self.init(owning: descriptor, byteCount: byteCount, knownDigest: nil)
    }

    /// Stands for a file whose descriptor another object closes, and asks the system for its length; 0 if it is not a regular
    /// file.
    package init(_ descriptor: CInt, ownedBy owner: any AnyObject & Sendable) {
        (self.descriptor, self.owner, byteCount) = (descriptor, owner, Self.byteCount(of: descriptor))
        (knownDigest, taken) = (nil, nil)
    }

    /// Takes over a descriptor of a file whose bytes had a digest when they were written.
    package init(owning descriptor: CInt, byteCount: Int, knownDigest: ContentDigest?) {
        (self.descriptor, self.byteCount, self.knownDigest) = (descriptor, byteCount, knownDigest)
        (taken, owner) = (nil, nil)
    }

    /// Stands for the open file of another, as the store has taken it.
    package init(sharing file: ContentFile, taken: Taken) {
        (descriptor, byteCount, knownDigest) = (file.descriptor, file.byteCount, taken.digest)
        (self.taken, owner) = (taken, file)
    }

    /// Stands for the open file of another, whose writer has stated a digest.
    package init(sharing file: ContentFile, stated digest: ContentDigest) {
        (descriptor, byteCount, knownDigest) = (file.descriptor, file.byteCount, digest)
        (taken, owner) = (nil, file)
    }

    /// Takes over a descriptor and asks the system for its length; 0 where it is no regular file.
    /// The corresponding C function is `fstat`.
    public convenience init(owning descriptor: CInt) {
        self.init(owning: descriptor, byteCount: Self.byteCount(of: descriptor))
    }

    private static func byteCount(of descriptor: CInt) -> Int {
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return isFile ? Int(status.st_size) : 0
    }

    deinit {
        mapping.withLock { start in
            if start != 0 { munmap(UnsafeMutableRawPointer(bitPattern: start), byteCount) }
        }
        if owner == nil { close(descriptor) }
    }
}

extension ContentFile {
    /// Maps the whole file, so that reading it more than once costs its pages once; only where neither length nor content can
    /// change. Without room for it nothing happens: it is mapped or read each time then.
    /// The corresponding C function is `mmap`.
    package func keepMapped() {
        guard byteCount > 0 else { return }
        mapping.withLock { start in
            guard start == 0, let memory = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
                memory != MAP_FAILED
            else { return }
            start = UInt(bitPattern: memory)
        }
    }

    /// The bytes where ``keepMapped()`` has put them; nil where it has not.
    package var mappedBytes: UnsafeRawBufferPointer? {
        let start = mapping.withLock { $0 }
        return UnsafeRawPointer(bitPattern: start).map { UnsafeRawBufferPointer(start: $0, count: byteCount) }
    }

    /// Brings pages of a part of the mapped file in, all at once, which takes half as long as one after the other.
    /// The corresponding C function is `madvise` with `MADV_POPULATE_READ`; kernels before 5.14 bring them in when they are read.
    package static func populate(_ bytes: UnsafeRawBufferPointer) {
        let populateRead: CInt = 22
        madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, populateRead)
    }
}

extension ContentFile {
    /// Lends the bytes of a part of the file, mapped into memory and not copied.
    ///
    /// Only for files whose length cannot change, such as a sealed memory file: where a mapped file becomes shorter, the
    /// system ends who reads on in it (SIGBUS). All others are read by ``bytes()``. The corresponding C functions are `mmap` and `munmap`.
    /// - Parameters:
    ///   - range: a part of the file, counted in bytes from its start.
    ///   - body: reads the bytes, which are not there any more when it has returned.
    /// - Throws: `inputOutput` where it cannot be mapped.
    public func withBytes<Result>(
        in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let range = range.clamped(to: 0..<byteCount)
        guard !range.isEmpty else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        if let mapped = mappedBytes {
            defer { withExtendedLifetime(self) {} }
            return try body(UnsafeRawBufferPointer(rebasing: mapped[range]))
        }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = range.lowerBound / page * page
        let length = range.upperBound - start
        guard let memory = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, start), memory != MAP_FAILED else {
            throw IPCError(
                .inputOutput, "a value of \(byteCount) bytes cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { munmap(memory, length) }
        return try body(
            UnsafeRawBufferPointer(start: memory.advanced(by: range.lowerBound - start), count: range.count))
    }

    /// The bytes of the whole file, mapped; see ``withBytes(in:_:)``.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try withBytes(in: 0..<byteCount, body)
    }

    /// A second open file of the same bytes, read-only and with a place of its own; nil where the process has no
    /// descriptor left. A duplicate would share its place with the first.
    package func reopened() -> ContentFile? {
        let copy = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        return copy < 0 ? nil : ContentFile(owning: copy, byteCount: byteCount, knownDigest: knownDigest)
    }
}

extension ContentFile: Hashable {
    /// The same open file; what two files hold is not compared.
    public static func == (one: ContentFile, other: ContentFile) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
