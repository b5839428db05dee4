import Crypto
import Foundation

/// The persistent id of a track: 64 bits that stay when its file is renamed or moved.
///
/// It is made of the content, the first eight bytes of its SHA-256, the most significant first. So half of all ids are above
/// 2^63, and nearly all above 2^53, from where on a Double has not every integer.
package enum TrackID {
    /// - Throws: where the file cannot be read.
    package static func ofFile(at path: String) throws -> UInt64 {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var hash = SHA256()
        while let block = try file.read(upToCount: 1 << 20), !block.isEmpty { hash.update(data: block) }
        return hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
