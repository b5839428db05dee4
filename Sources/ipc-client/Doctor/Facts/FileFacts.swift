import Glibc
import IPCDesktop

/// What is known of a path, links followed.
struct FileFacts: Sendable, Hashable {
    enum Kind: Sendable { case missing, file, directory, other }

    var path: String
    var kind = Kind.missing
    /// Permission bits.
    var mode: UInt32 = 0
    /// The user id of its owner.
    var owner: UInt32 = 0
    /// Whether this process may write to it; of a directory, change its entries.
    var isWritable = false
    /// Whether this process may run it; of a directory, enter it.
    var isExecutable = false

    var isThere: Bool { kind != .missing }
    /// Whether it is a program that this user can run.
    var isProgram: Bool { kind == .file && isExecutable }
    /// `0700`
    var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    /// Whether anybody but the owner has rights.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    init(path: String, kind: Kind = .missing, mode: UInt32 = 0, owner: UInt32 = 0, isWritable: Bool = true) {
        (self.path, self.kind, self.mode, self.owner) = (path, kind, mode, owner)
        (self.isWritable, isExecutable) = (isWritable, mode & 0o111 != 0)
    }

    /// Looks. The corresponding C functions are `stat` and `access`.
    static func read(_ path: String) -> FileFacts {
        var facts = FileFacts(path: path, isWritable: false)
        var status = stat()
        guard stat(path, &status) == 0 else { return facts }
        facts.kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        facts.mode = status.st_mode & 0o7777
        facts.owner = status.st_uid
        facts.isWritable = access(path, W_OK) == 0
        facts.isExecutable = access(path, X_OK) == 0
        return facts
    }
}

/// Paths and small files, without links' targets and without errors: what cannot be read is not there.
enum FilePlace {
    /// What stands before the last slash.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What stands behind the last slash.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The target of a link. The corresponding C function is `readlink`.
    static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { readlink(link, $0.baseAddress!, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// The path without links. The corresponding C function is `realpath`.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The names in a directory, sorted, without those that begin with a dot.
    static func names(in directory: String) -> [String] {
        Folder.names(directory).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The bytes of a file of at most 4 MiB; works on `/proc`, where files do not know their length.
    static func bytes(of path: String) -> [UInt8]? {
        // Without waiting for a writer where it is a pipe, and without getting a terminal.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 4 << 20 {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }

    /// The text of a file; bytes that are not UTF-8 become U+FFFD.
    static func text(of path: String) -> String? { bytes(of: path).map { String(decoding: $0, as: UTF8.self) } }
}

/// The environment of a process (proc_pid_environ(5)), as it was at its start.
enum ProcessEnvironment {
    static func read(_ process: String) -> [String: String]? {
        guard let bytes = FilePlace.bytes(of: "/proc/\(process)/environ") else { return nil }
        var variables: [String: String] = [:]
        for entry in bytes.split(separator: 0) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            variables[name] = String(decoding: entry[(equals + 1)...], as: UTF8.self)
        }
        return variables
    }
}
