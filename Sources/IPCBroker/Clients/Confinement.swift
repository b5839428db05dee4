internal import Glibc
internal import IPCDBus
internal import IPCDesktop
internal import IPCModel

/// The sandbox that a caller is in.
///
/// The bus reports the process and the security label of a connection (`GetConnectionCredentials`). The process number may
/// belong to another process by now, so it may only remove rights (I19): each caller starts with all rights, and has fewer
/// if it is found in a sandbox or cannot be examined.
enum Confinement: Sendable, Hashable {
    /// In no known sandbox.
    case free
    /// The sandbox attests this id.
    case sandbox(String)
    /// Unknown: least privilege.
    case hidden

    /// The credentials of a connection, from the bus.
    struct Credentials: Sendable, Equatable {
        var process: pid_t?
        /// The label of the Linux security module; AppArmor adds its mode, as in “snap.firefox.firefox (enforce)”.
        var label: String?

        init(process: pid_t? = nil, label: String? = nil) { (self.process, self.label) = (process, label) }

        /// D-Bus specification, "org.freedesktop.DBus.GetConnectionCredentials".
        init(_ facts: [String: Value]) {
            if case .uint32(let number)? = facts["ProcessID"], number > 0 { process = pid_t(exactly: number) }
            if case .bytes(let bytes)? = facts["LinuxSecurityLabel"] {
                label = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    /// Examines a process. This may block on a file system that the process has chosen, so do not call it on the I/O thread
    /// if ``quick(_:procfs:)`` returns nil.
    /// - Parameter procfs: the folder of the process files.
    init(of credentials: Credentials, procfs: String = "/proc") {
        if let sandbox = Self.quick(credentials, procfs: procfs) {
            self = sandbox
        } else {
            self = credentials.process.map { Self.root(of: $0, procfs: procfs) } ?? .hidden
        }
    }

    /// The result without access to a file system of the process; `nil` if its root directory must be examined.
    static func quick(_ credentials: Credentials, procfs: String = "/proc") -> Confinement? {
        if let snap = snap(credentials.label) { return snap }
        guard let process = credentials.process else { return .hidden }
        // A process on the broker's own root directory is in no Flatpak. This needs no right to trace it, so programs
        // that forbid core dumps (password managers, agents) pass here although their root directory is closed to us.
        guard let own = (procfs == "/proc" ? ownRootMount : nil) ?? rootMount(of: "self", procfs: procfs),
            own == rootMount(of: "\(process)", procfs: procfs)
        else { return nil }
        return .free
    }

    /// The broker's own. No other mount has its number while the broker runs on it.
    private static let ownRootMount = rootMount(of: "self", procfs: "/proc")

    /// `snap.NAME.APP` and `snap.NAME.hook.HOOK` are labels of snapd; the id is `snap.NAME`. A snap whose profile binds
    /// it to nothing, a “classic” one, is in no sandbox.
    private static func snap(_ label: String?) -> Confinement? {
        guard let label, label.utf8.starts(with: "snap.".utf8) else { return nil }
        if label.hasSuffix(" (complain)") || label.hasSuffix(" (unconfined)") { return nil }
        let parts = label.prefix { $0 != " " }.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 3 && !parts[1].isEmpty ? .sandbox("snap.\(parts[1])") : .hidden
    }

    /// The number of the mount that is the root directory of a process, which no other mount of the system has
    /// (proc_pid_mountinfo(5)); `nil` if it cannot be read, and for a root directory within a mount.
    private static func rootMount(of process: String, procfs: String) -> [UInt8]? {
        var found: [ArraySlice<UInt8>] = []
        guard let text = [UInt8](processFile: "\(procfs)/\(process)/mountinfo") else { return nil }
        // Bytes, because this is read for each new caller, and a desktop has some hundred mounts.
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            if fields.count > 4, fields[4].elementsEqual("/".utf8) { found.append(fields[0]) }
        }
        // If mounts cover each other, it could be any of them.
        return found.count == 1 ? Array(found[0]) : nil
    }

    /// Flatpak puts `.flatpak-info` into the root directory of every process of a sandbox, its proxy of the bus
    /// included, and the sandbox cannot remove it (flatpak-run(1)).
    ///
    /// Only a process whose root directory can be opened and lacks the file is free. The process may have ended, and left
    /// its connection to another one. It may forbid tracing, in its own mount namespace. `/proc` may hide it (`hidepid`).
    /// A sandbox can cause all of these, so the result is ``hidden`` then.
    private static func root(of process: pid_t, procfs: String) -> Confinement {
        let root = open("\(procfs)/\(process)/root", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        guard root >= 0 else { return .hidden }
        defer { close(root) }
        do {
            let info = try KeyFile(contentsOf: ".flatpak-info", in: root, flags: O_NOFOLLOW)
            guard let id = info["Application"]?["name"], (try? ApplicationID(id)) != nil else { return .hidden }
            return .sandbox(id)
        } catch KeyFile.Unreadable.system(ENOENT) {
            return .free
        } catch {
            return .hidden
        }
    }
}

extension [UInt8] {
    /// Reads a file of `/proc`, whose length is not known before.
    init?(processFile path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        self = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            self += part[..<count]
            // No usual process has that many mounts; the root directory is examined instead.
            if self.count > 4_194_304 { return nil }
        }
    }
}
