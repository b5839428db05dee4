import Glibc
import IPCDesktop

/// A file or directory. Links are followed.
struct FileFacts: Sendable, Hashable {
    enum Kind: Sendable { case missing, file, directory, other }

    var path: String
    var kind = Kind.missing
    /// The permission bits (chmod(2)).
    var mode: UInt32 = 0
    var owner: UInt32 = 0
    /// Whether this process may run the file, or enter the directory.
    var isExecutable = false

    var isThere: Bool { kind != .missing }
    var isProgram: Bool { kind == .file && isExecutable }
    /// The permission bits in octal, such as `0700`.
    var octalMode: String { "0" + String(mode, radix: 8) }

    /// Reads the facts about a path with `stat(2)` and `access(2)`.
    static func read(_ path: String) -> FileFacts {
        var status = stat()
        guard stat(path, &status) == 0 else { return FileFacts(path: path) }
        let format = status.st_mode & S_IFMT
        return FileFacts(
            path: path, kind: format == S_IFREG ? .file : format == S_IFDIR ? .directory : .other,
            mode: status.st_mode & 0o7777, owner: status.st_uid,
            isExecutable: access(path, X_OK) == 0)
    }
}

/// Functions on paths and small files. A file that cannot be read counts as missing.
enum FilePlace {
    /// The part before the last slash.
    static func directory(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// The part after the last slash.
    static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The target of a symbolic link (`readlink(2)`).
    static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { readlink(link, $0.baseAddress!, $0.count) }
        return count > 0 ? String(validating: buffer[..<count], as: UTF8.self) : nil
    }

    /// The path with all symbolic links resolved (`realpath(3)`).
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    static func bytes(of path: String) -> [UInt8]? { (try? FileState.read(path))?.bytes }

    /// The environment of a process at its start (proc_pid_environ(5)).
    static func environment(of process: String) -> [String: String]? {
        guard let bytes = bytes(of: "/proc/\(process)/environ") else { return nil }
        let entries = bytes.split(separator: 0).map {
            String(decoding: $0, as: UTF8.self).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Dictionary(
            entries.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
    }
}
