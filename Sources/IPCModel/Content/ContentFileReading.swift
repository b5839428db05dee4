internal import Glibc

extension ContentFile {
    /// Bytes of a file that are in memory at a time while it is read.
    private static let window = 1 << 20

    /// Lends the bytes of a part of the file, a piece after the other.
    ///
    /// They are read and not mapped: who shortens the file meanwhile makes an error, and no signal that ends the
    /// process. The corresponding C function is `pread`.
    /// - Parameter range: a part of the file, counted in bytes from its start.
    /// - Throws: `inputOutput` where it cannot be read, or has become shorter than it was.
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

    /// The bytes of a part of the file, in memory.
    /// - Throws: as ``readPieces(in:_:)``.
    package func bytes(in range: Range<Int>) throws(IPCError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.clamped(to: 0..<byteCount).count)
        try readPieces(in: range) { bytes += $0 }
        return bytes
    }

    /// All bytes, in memory.
    /// - Throws: `inputOutput` where they cannot be read, or the file has become shorter since it was opened.
    public func bytes() throws(IPCError) -> [UInt8] { try bytes(in: 0..<byteCount) }

    private func unreadable(_ reason: String) -> IPCError {
        IPCError(.inputOutput, "a value of \(byteCount) bytes cannot be read: \(reason)")
    }
}
