internal import Glibc

/// The version of a store in its write-ahead log, read without SQLite. See “Database File Format”, §4.1 to §4.3.
enum LogVersion {
    /// The highest `user_version` in the log's copies of the first page; 0 if the log contains no copy.
    static func highest(in path: String) -> UInt32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { Glibc.close(descriptor) }
        guard let log = StoreDirectory.read(descriptor, at: 0, atMost: 32), log.count == 32 else { return 0 }
        let pageSize = Int(log.number(at: 8))
        guard (512...65_536).contains(pageSize) else { return 0 }
        var version: UInt32 = 0
        var position = 32
        var checksum = LogChecksum(after: log, at: 24, isBigEndian: log[3] & 1 == 1)
        while let frame = StoreDirectory.read(descriptor, at: position, atMost: 24), frame.count == 24 {
            // Frames from before the last reset of the log have different salts.
            guard frame[8..<16].elementsEqual(log[16..<24]) else { break }
            let stored = LogChecksum(after: frame, at: 16, isBigEndian: checksum.isBigEndian)
            // A power failure can leave the header of a frame without its page. Whatever is there is not a version.
            if frame.number(at: 0) == 1,
                let page = StoreDirectory.read(descriptor, at: position + 24, atMost: pageSize), page.count == pageSize,
                checksum.adding(frame[..<8]).adding(page[...]) == stored
            {
                version = max(version, page.number(at: 60))
            }
            checksum = stored
            position += 24 + pageSize
        }
        return version
    }
}

/// The checksum of a log up to a frame, which the frame's header contains. The next one continues it.
private struct LogChecksum: Equatable {
    private var first: UInt32
    private var second: UInt32
    let isBigEndian: Bool

    init(after header: [UInt8], at offset: Int, isBigEndian: Bool) {
        (first, second) = (header.number(at: offset), header.number(at: offset + 4))
        self.isBigEndian = isBigEndian
    }

    /// The checksum after more bytes, whose number is a multiple of 8.
    func adding(_ bytes: ArraySlice<UInt8>) -> LogChecksum {
        var sum = self
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 8) {
                let words = (
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                )
                sum.first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ sum.second
                sum.second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ sum.first
            }
        }
        return sum
    }
}
