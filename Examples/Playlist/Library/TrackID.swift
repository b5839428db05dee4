import Digests
import Foundation

/// The persistent id of a track: 64 bits that stay the same when its file is renamed or moved.
///
/// It is the first eight bytes of the SHA-256 of the content, the most significant byte first. So half of all ids are
/// above 2^63, and nearly all are above 2^53, where a Double cannot represent every integer.
package enum TrackID {
    /// - Throws: an error if the file cannot be read.
    package static func ofFile(at path: String) throws -> UInt64 {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var hash = SHA256()
        while let block = try file.read(upToCount: 1 << 20), !block.isEmpty { hash.update(block) }
        return hash.digest().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
