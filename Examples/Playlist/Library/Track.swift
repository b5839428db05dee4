import Digests
import Foundation
import IPC
import Programs

/// A track: what identifies it, and what it can be found by after its file has changed.
package struct Track: Codable, Sendable, Hashable {
    /// The persistent id; see ``TrackID``.
    package let id: UInt64
    /// The name of the file.
    package let title: String
    /// The length in milliseconds; `nil` if the file is not a valid WAV file.
    package let milliseconds: UInt32?

    package init(id: UInt64, title: String, milliseconds: UInt32? = nil) {
        (self.id, self.title, self.milliseconds) = (id, title, milliseconds)
    }

    /// Reads the whole file.
    package init(ofFile path: String) throws(UnreadableFile) {
        do { id = try TrackID.ofFile(at: path) } catch { throw UnreadableFile(path: path) }
        title = URL(filePath: path).lastPathComponent
        milliseconds = WAVHeader(ofFile: path)?.milliseconds
    }
}

/// The error for a file or folder that cannot be read.
package struct UnreadableFile: HandlerError, ExitCodeError, CustomStringConvertible {
    package let path: String
    package var code: String { "unreadable" }
    package var exitCode: Int32 { EX_NOINPUT }
    package var description: String { "\(path) cannot be read" }
}

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
        return hash.id()
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = SHA256()
        hash.update(bytes)
        return hash.id()
    }
}

extension SHA256 {
    fileprivate consuming func id() -> UInt64 { digest().prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
