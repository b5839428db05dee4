import Digests
import Foundation
import IPC

/// A file that remembers the ids of a library's tracks, so that a start reads only new and changed files.
///
/// It is in the user's cache folder, because it can always be rebuilt, and is of no use on another machine. Its first line
/// is a digest of the rest. If the digest does not match, the index counts as empty.
package struct MusicIndex: Sendable {
    struct Row: Codable, Hashable {
        let stamp: String
        let track: Track
    }

    package let path: String

    /// The index of a folder; `nil` if the environment names neither a cache folder nor a home.
    package init?(folder: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        func absolute(_ variable: String) -> String? { environment[variable].flatMap { $0.first == "/" ? $0 : nil } }
        guard let cache = absolute("XDG_CACHE_HOME") ?? absolute("HOME").map({ "\($0)/.cache" }) else { return nil }
        let place = URL(filePath: folder).resolvingSymlinksInPath().path
        path = "\(cache)/com.example.Playlist/\(SHA256.digest(of: place).id).index"
    }

    /// The rows by path; empty if the file is missing or damaged.
    func rows() -> [String: Row] {
        guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8),
            case let lines = text.split(separator: "\n", maxSplits: 1), lines.count == 2,
            lines[0] == "\(SHA256.digest(of: String(lines[1])).id)"
        else { return [:] }
        return (try? Representation(type: .json, value: .text(String(lines[1]))).decoded()) ?? [:]
    }

    /// Replaces the index in one step. If that fails, the next start reads all files again.
    func write(_ rows: [String: Row]) {
        guard let value = try? Representation(encoding: rows).value, case .text(let json) = value else { return }
        let file = URL(filePath: path)
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data("\(SHA256.digest(of: json).id)\n\(json)".utf8).write(to: file, options: .atomic)
    }

    /// Returns a text that changes with the content of a file: its size, its time of modification and its time of change.
    /// Programs cannot set the time of change, so a change is noticed even if a program restores the time of modification.
    /// - Returns: `nil` if this is not a regular file.
    static func stamp(ofFile path: String) -> String? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let (modified, changed) = (facts.st_mtim, facts.st_ctim)
        return "\(facts.st_size) \(modified.tv_sec).\(modified.tv_nsec) \(changed.tv_sec).\(changed.tv_nsec)"
    }
}
