internal import Glibc
internal import Synchronization

/// A value outside the memory of its process: an open file whose bytes do not change.
///
/// Large values travel as file descriptors. This object owns its descriptor, or keeps the owner alive. The file offset is
/// never read or moved, so that several readers can share the descriptor.
public final class ContentFile: Sendable {
    /// The open file, for reading.
    public let descriptor: CInt
    /// The length of the file in bytes.
    public let byteCount: Int
    /// The digest of the bytes as they were written; nil if it is not known.
    package let knownDigest: ContentDigest?
    /// What the store knows of a file that it has checked; nil for any other.
    package let taken: Taken?
    /// The object that closes the descriptor instead of this one.
    private let owner: (any AnyObject & Sendable)?
    /// The address at which the whole file is mapped, for as long as this lives; 0 if it is not.
    private let mapping = Mutex<UInt>(0)

    private init(
        _ descriptor: CInt, _ byteCount: Int, _ knownDigest: ContentDigest? = nil, _ taken: Taken? = nil,
        owner: (any AnyObject & Sendable)? = nil
    ) {
        (self.descriptor, self.byteCount, self.knownDigest) = (descriptor, byteCount, knownDigest)
        (self.taken, self.owner) = (taken, owner)
    }

    /// Takes over a descriptor of a regular file, or of a memory file, with a known length in bytes.
    public convenience init(owning descriptor: CInt, byteCount: Int) { self.init(descriptor, byteCount) }

    /// Takes over a descriptor and asks the system for its length; 0 if it is no regular file.
    /// The corresponding C function is `fstat`.
    public convenience init(owning descriptor: CInt) { self.init(descriptor, Self.byteCount(of: descriptor)) }

    package convenience init(owning descriptor: CInt, byteCount: Int, knownDigest: ContentDigest?) {
        self.init(descriptor, byteCount, knownDigest)
    }

    /// Uses a descriptor that another object closes, and asks the system for its length; 0 if it is no regular file.
    package convenience init(_ descriptor: CInt, ownedBy owner: any AnyObject & Sendable) {
        self.init(descriptor, Self.byteCount(of: descriptor), owner: owner)
    }

    /// Uses the open file of another object after the store has taken it.
    package convenience init(sharing file: ContentFile, taken: Taken) {
        self.init(file.descriptor, file.byteCount, taken.digest, taken, owner: file)
    }

    /// Uses the open file of another object whose writer has stated a digest.
    package convenience init(sharing file: ContentFile, stated digest: ContentDigest) {
        self.init(file.descriptor, file.byteCount, digest, owner: file)
    }

    private static func byteCount(of descriptor: CInt) -> Int { Int(status(ofRegular: descriptor)?.st_size ?? 0) }

    /// nil if the descriptor is not open, or leads neither to a regular file nor to a memory file.
    private static func status(ofRegular descriptor: CInt) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
    }

    deinit {
        mapping.withLock { start in
            if start != 0 { munmap(UnsafeMutableRawPointer(bitPattern: start), byteCount) }
        }
        if owner == nil { close(descriptor) }
    }
}

extension ContentFile: Hashable {
    /// Whether both are the same open file; the content of two files is not compared.
    public static func == (one: ContentFile, other: ContentFile) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: Opening

extension ContentFile {
    /// Opens a regular file for reading; nothing is read yet.
    /// - Throws: `noSuchItem` if there is no such file; `payloadInvalid` at once for a folder, a pipe, a device or a
    ///   socket; `inputOutput` if it cannot be opened.
    public convenience init(path: String) throws(IPCError) {
        // Without O_NONBLOCK a pipe would wait here for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let code = errno
            throw IPCError(
                code == ENOENT || code == ENOTDIR ? .noSuchItem : code == ENXIO ? .payloadInvalid : .inputOutput,
                "the file \(path.quoted) cannot be opened: \(String(cString: strerror(code)))")
        }
        guard ContentFile.isRegular(file) else {
            close(file)
            throw IPCError(.payloadInvalid, "\(path.quoted) is no regular file; give one, or its bytes")
        }
        self.init(owning: file)
    }

    /// Whether a descriptor is open and leads to a regular file or a memory file.
    package static func isRegular(_ descriptor: CInt) -> Bool { status(ofRegular: descriptor) != nil }

    /// Whether the descriptor can be read and not written.
    package var isReadOnly: Bool { fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY }

    /// A second open file of the same bytes, read-only and with an offset of its own; nil if the process has no descriptor
    /// left. A duplicate would share its offset with the first.
    package func reopened() -> ContentFile? {
        let copy = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        return copy < 0 ? nil : ContentFile(owning: copy, byteCount: byteCount, knownDigest: knownDigest)
    }

    // MARK: Mapping

    /// Maps the whole file, so that several reads load its pages once. Its length and content must not change. If there is
    /// no address space for it, it is mapped or read each time.
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

    /// The bytes that ``keepMapped()`` has mapped; nil if it has not.
    package var mappedBytes: UnsafeRawBufferPointer? {
        let start = mapping.withLock { $0 }
        return UnsafeRawPointer(bitPattern: start).map { UnsafeRawBufferPointer(start: $0, count: byteCount) }
    }

    /// Loads pages of a part of the mapped file at once, which takes half as long as one after the other.
    /// The corresponding C function is `madvise` with `MADV_POPULATE_READ`; kernels before 5.14 load a page when it is read.
    package static func populate(_ bytes: UnsafeRawBufferPointer) {
        let populateRead: CInt = 22
        madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, populateRead)
    }

    /// Calls a closure with the bytes of a part of the file, mapped into memory and not copied.
    ///
    /// Only for files whose length cannot change, such as a sealed memory file: if a mapped file becomes shorter, the
    /// system ends the process that reads beyond its end (SIGBUS). ``bytes()`` reads all other files. The corresponding C
    /// functions are `mmap` and `munmap`.
    /// - Parameters:
    ///   - range: a part of the file, counted in bytes from its start.
    ///   - body: reads the bytes, which are valid until it returns.
    /// - Throws: `inputOutput` if the file cannot be mapped.
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
            throw unreadable(String(cString: strerror(errno)))
        }
        defer { munmap(memory, length) }
        return try body(
            UnsafeRawBufferPointer(start: memory.advanced(by: range.lowerBound - start), count: range.count))
    }

    /// Calls a closure with the bytes of the whole file, mapped; see ``withBytes(in:_:)``.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try withBytes(in: 0..<byteCount, body)
    }

    // MARK: Reading

    /// Bytes of a file that are in memory at a time while it is read.
    private static let window = 1 << 20

    /// Calls a closure with the bytes of a part of the file, piece by piece.
    ///
    /// They are read and not mapped: if another process shortens the file, that is an error and not a signal that ends
    /// this process. The corresponding C function is `pread`.
    /// - Parameter range: a part of the file, counted in bytes from its start.
    /// - Throws: `inputOutput` if the file cannot be read, or has become shorter.
    package func readPieces(
        in range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(IPCError) {
        let range = range.clamped(to: 0..<byteCount)
        // Whole pages, for a file that was opened with O_DIRECT.
        let piece = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(Self.window, (range.count + 4_095) / 4_096 * 4_096), alignment: 4_096)
        defer { piece.deallocate() }
        var place = range.lowerBound
        while place < range.upperBound {
            let count = pread(descriptor, piece.baseAddress, piece.count, off_t(place))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(String(cString: strerror(errno))) }
            guard count > 0 else { throw unreadable("its file ends after \(place) and has become shorter") }
            let wanted = min(count, range.upperBound - place)
            body(UnsafeRawBufferPointer(rebasing: piece[..<wanted]))
            place += wanted
        }
    }

    /// Reads the bytes of a part of the file into memory.
    /// - Throws: as ``readPieces(in:_:)``.
    package func bytes(in range: Range<Int>) throws(IPCError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.clamped(to: 0..<byteCount).count)
        try readPieces(in: range) { bytes += $0 }
        return bytes
    }

    /// Reads all bytes into memory.
    /// - Throws: `inputOutput` if they cannot be read, or the file has become shorter since it was opened.
    public func bytes() throws(IPCError) -> [UInt8] { try bytes(in: 0..<byteCount) }

    private func unreadable(_ reason: String) -> IPCError {
        IPCError(.inputOutput, "a value of \(byteCount) bytes cannot be read: \(reason)")
    }
}
