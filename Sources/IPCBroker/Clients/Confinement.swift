internal import Glibc
internal import IPCDBus
internal import IPCDesktop
internal import IPCModel

/// The sandbox that a caller is in.
///
/// The bus tells the process and the security label of a connection (`GetConnectionCredentials`). A process number may
/// be another process's by now, so what it tells may only take rights away (I19): everybody starts with all, and who is
/// found in a sandbox, or cannot be looked at, has less.
enum Confinement: Sendable, Hashable {
    /// In no sandbox that is known here.
    case free
    /// The sandbox attests this id.
    case sandbox(String)
    /// Nobody can tell: least privilege.
    case hidden

    /// What the bus says of a connection.
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

    /// Looks at a process. May block on a file system that the process has chosen: not on the I/O thread, unless
    /// ``quick(_:procfs:)`` can tell.
    /// - Parameter procfs: where the process files are.
    init(of credentials: Credentials, procfs: String = "/proc") {
        if let sandbox = Self.quick(credentials, procfs: procfs) {
            self = sandbox
        } else {
            self = credentials.process.map { Self.root(of: $0, procfs: procfs) } ?? .hidden
        }
    }

    /// What can be told without touching a file system of the process; `nil` where its root directory must be looked at.
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

    /// The broker's own; its number is nobody else's while the broker runs on it.
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
    /// (proc_pid_mountinfo(5)); `nil` where it cannot be read, and for a root directory within a mount.
    private static func rootMount(of process: String, procfs: String) -> [UInt8]? {
        var found: [ArraySlice<UInt8>] = []
        guard let text = readAll("\(procfs)/\(process)/mountinfo") else { return nil }
        // Bytes, for this is read for each new caller, and a desktop has some hundred mounts.
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            if fields.count > 4, fields[4].elementsEqual("/".utf8) { found.append(fields[0]) }
        }
        // Mounts on top of each other leave open which of them it is.
        return found.count == 1 ? Array(found[0]) : nil
    }

    /// Flatpak puts `.flatpak-info` into the root directory of every process of a sandbox, its proxy of the bus
    /// included, and the sandbox cannot take it away (flatpak-run(1)).
    ///
    /// Only a root directory that can be opened and lacks the file is one of a free process. The process may have ended,
    /// leaving its connection to another one; it may have forbidden to be traced, in a mount namespace of its own;
    /// `/proc` may hide it (`hidepid`): a sandbox can bring all that about, so all that is ``hidden``.
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

    /// A file of `/proc`, whose length is not known before.
    private static func readAll(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part[..<count]
            // Nobody has so many mounts; who has them is looked at in the other way.
            if bytes.count > 4_194_304 { return nil }
        }
        return bytes
    }
}
