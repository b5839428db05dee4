import Digests
import Foundation
import IPC
import Programs

/// A track: its id, and the title and length that find it again after its file has changed.
package struct Track: Codable, Sendable, Hashable {
    /// The persistent id: 64 bits that stay the same when the file is renamed or moved.
    ///
    /// It is the beginning of the SHA-256 of the content. So half of all ids are above 2^63, and nearly all are above
    /// 2^53, where a Double cannot represent every integer.
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
        var hash = SHA256()
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty { hash.update(block) }
        } catch { throw UnreadableFile(path: path) }
        id = hash.digest().id
        title = URL(filePath: path).lastPathComponent
        milliseconds = WAVHeader(ofFile: path)?.milliseconds
    }
}

/// The error for a file or folder that cannot be read.
package struct UnreadableFile: HandlerError, ExitCodeError, CustomStringConvertible {
    package let path: String
    var isFolder = false
    package var code: String { "unreadable" }
    package var exitCode: Int32 { EX_NOINPUT }
    package var description: String { "\(path) cannot be read\(isFolder ? " as a folder" : "")" }
}

extension [UInt8] {
    /// The first eight bytes of a digest, the most significant byte first.
    var id: UInt64 { prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
