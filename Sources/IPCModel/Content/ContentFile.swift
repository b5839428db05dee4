internal import Glibc
internal import Synchronization

/// A value in an open file instead of in memory. The bytes of the file do not change.
///
/// Large values are sent as file descriptors. This object owns its descriptor, or keeps the owner of the descriptor
/// alive. It never uses the file offset, so several readers can share the descriptor.
public final class ContentFile: Sendable {
    /// The descriptor of the file, which is open for reading.
    public let descriptor: CInt
    /// The length of the file in bytes.
    public let byteCount: Int
    /// The digest of the bytes as they were written; `nil` if it is unknown.
    package let knownDigest: ContentDigest?
    /// The store's record of the file; `nil` if the store has not checked the file.
    package let taken: Taken?
    /// Another object that closes the descriptor; `nil` if this object does.
    private let owner: (any AnyObject & Sendable)?
    /// The address at which the whole file is mapped for the lifetime of this object; 0 if it is not mapped.
    private let mapping = Mutex<UInt>(0)

    private init(
        _ descriptor: CInt, _ byteCount: Int, _ knownDigest: ContentDigest? = nil, _ taken: Taken? = nil,
        owner: (any AnyObject & Sendable)? = nil
    ) {
        (self.descriptor, self.byteCount, self.knownDigest) = (descriptor, byteCount, knownDigest)
        (self.taken, self.owner) = (taken, owner)
    }

    /// Takes ownership of a descriptor of a regular file or a memory file whose length in bytes is known.
    public convenience init(owning descriptor: CInt, byteCount: Int) { self.init(descriptor, byteCount) }

    /// Takes ownership of a descriptor and gets the length of its file with `fstat`. The length is 0 if the descriptor
    /// does not refer to a regular file.
    public convenience init(owning descriptor: CInt) { self.init(descriptor, Self.byteCount(of: descriptor)) }

    package convenience init(owning descriptor: CInt, byteCount: Int, knownDigest: ContentDigest?) {
        self.init(descriptor, byteCount, knownDigest)
    }

    /// Uses a descriptor that `owner` closes. The length is 0 if the descriptor does not refer to a regular file.
    package convenience init(_ descriptor: CInt, ownedBy owner: any AnyObject & Sendable) {
        self.init(descriptor, Self.byteCount(of: descriptor), owner: owner)
    }

    /// Shares the descriptor of a file that the store has checked.
    package convenience init(sharing file: ContentFile, taken: Taken) {
        self.init(file.descriptor, file.byteCount, taken.digest, taken, owner: file)
    }

    /// Shares the descriptor of a file whose writer has declared this digest.
    package convenience init(sharing file: ContentFile, stated digest: ContentDigest) {
        self.init(file.descriptor, file.byteCount, digest, owner: file)
    }

    private static func byteCount(of descriptor: CInt) -> Int { Int(status(ofRegular: descriptor)?.st_size ?? 0) }

    /// The status of a file; `nil` if the descriptor is not open, or is for neither a regular file nor a memory file.
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
    /// Whether two values are the same object. The contents of their files are not compared.
    public static func == (one: ContentFile, other: ContentFile) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: Opening

extension ContentFile {
    /// Opens a regular file for reading, without reading it yet.
    /// - Throws: `noSuchItem` if the file does not exist; `payloadInvalid` if it is a folder, a pipe, a device or a
    ///   socket; `inputOutput` if it cannot be opened.
    public convenience init(path: String) throws(IPCError) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let code = errno
            throw IPCError(
                code == ENOENT || code == ENOTDIR ? .noSuchItem : code == ENXIO ? .payloadInvalid : .inputOutput,
                "the file \(path.quoted) cannot be opened: \(String(cString: strerror(code)))")
        }
        guard ContentFile.isRegular(file) else {
            close(file)
            throw IPCError(.payloadInvalid, "\(path.quoted) is not a regular file; pass one, or pass the bytes")
        }
        self.init(owning: file)
    }

    /// Whether a descriptor is open and refers to a regular file or a memory file.
    package static func isRegular(_ descriptor: CInt) -> Bool { status(ofRegular: descriptor) != nil }

    package var isReadOnly: Bool { fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY }

    /// Opens the file again, read-only and, unlike `dup`, with its own offset; `nil` if no descriptors are left.
    package func reopened() -> ContentFile? {
        let copy = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        return copy < 0 ? nil : ContentFile(owning: copy, byteCount: byteCount, knownDigest: knownDigest)
    }

    // MARK: Mapping

    /// Keeps the whole file mapped with `mmap`, so that repeated reads do not load its pages again. The length and
    /// content of the file must not change. If address space is short, each read maps or reads the file itself.
    package func keepMapped() {
        guard byteCount > 0 else { return }
        mapping.withLock { start in
            guard start == 0, let memory = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
                memory != MAP_FAILED
            else { return }
            start = UInt(bitPattern: memory)
        }
    }

    /// The bytes that ``keepMapped()`` mapped; `nil` if there is no such mapping.
    package var mappedBytes: UnsafeRawBufferPointer? {
        let start = mapping.withLock { $0 }
        return UnsafeRawPointer(bitPattern: start).map { UnsafeRawBufferPointer(start: $0, count: byteCount) }
    }

    /// Loads all pages of a part of the mapped file at once, which takes half as long as loading them one by one. The C
    /// function is `madvise` with `MADV_POPULATE_READ`; kernels before 5.14 still load pages one by one.
    package static func populate(_ bytes: UnsafeRawBufferPointer) {
        let populateRead: CInt = 22
        madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, populateRead)
    }

    /// Calls a closure with the bytes of a part of the file, mapped into memory with `mmap(2)` instead of copied.
    ///
    /// Use this only for files whose length cannot change, such as a sealed memory file: if a mapped file becomes
    /// shorter, the system kills a process that reads beyond its end (SIGBUS). ``bytes()`` is safe for all files.
    /// - Parameters:
    ///   - range: a part of the file, counted in bytes from its start.
    ///   - body: reads the bytes, which are valid only until `body` returns.
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

    /// Calls a closure with the bytes of the whole file, mapped into memory; see ``withBytes(in:_:)``.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try withBytes(in: 0..<byteCount, body)
    }

    // MARK: Reading

    /// The size of the pieces in which a file is read, in bytes.
    private static let window = 1 << 20

    /// Calls a closure with the bytes in a range of the file, piece by piece. The bytes are read with `pread(2)`, not
    /// mapped: if another process shortens the file, this throws an error, and no signal kills the process.
    /// - Throws: `inputOutput` if the file cannot be read, or has become shorter.
    package func readPieces(
        in range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(IPCError) {
        let range = range.clamped(to: 0..<byteCount)
        // Read whole pages, in case the file was opened with O_DIRECT.
        let piece = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(Self.window, (range.count + 4_095) / 4_096 * 4_096), alignment: 4_096)
        defer { piece.deallocate() }
        var place = range.lowerBound
        while place < range.upperBound {
            let count = pread(descriptor, piece.baseAddress, piece.count, off_t(place))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(String(cString: strerror(errno))) }
            guard count > 0 else { throw unreadable("its file was truncated to \(place) bytes") }
            let wanted = min(count, range.upperBound - place)
            body(UnsafeRawBufferPointer(rebasing: piece[..<wanted]))
            place += wanted
        }
    }

    /// Reads the bytes of a part of the file into memory.
    /// - Throws: the same errors as ``readPieces(in:_:)``.
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
