internal import Glibc
internal import IPCDBus
internal import IPCDesktop
internal import IPCModel

/// The sandbox that a caller runs in, if any.
///
/// The bus reports the process and the security label of a connection (`GetConnectionCredentials`). The process number
/// must only ever remove rights (I19): a caller has all rights unless it is found to be in a sandbox, or cannot be
/// examined. The number may since have been reused, which ``BusClients`` finds by the process's start time.
enum Confinement: Sendable, Hashable {
    /// Not in a known sandbox.
    case free
    /// In a sandbox that attests this id.
    case sandbox(String)
    /// Unknown, so the caller gets the least privilege.
    case hidden

    /// The credentials of a connection, as the bus reports them.
    struct Credentials: Sendable, Equatable {
        var process: pid_t?
        /// The label of the Linux security module; AppArmor appends its mode, as in “snap.firefox.firefox (enforce)”.
        var label: String?

        init(process: pid_t? = nil, label: String? = nil) { (self.process, self.label) = (process, label) }

        /// Whether the label identifies a sandbox. The bus reads it when the caller connects, so it does not depend on
        /// the process number.
        var namesSandbox: Bool { Confinement.snap(label) != nil }

        /// Reads the answer to `GetConnectionCredentials` (D-Bus specification).
        init(_ facts: [String: Value]) {
            if case .uint32(let number)? = facts["ProcessID"], number > 0 { process = pid_t(exactly: number) }
            if case .bytes(let bytes)? = facts["LinuxSecurityLabel"] {
                label = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    /// Examines a process. This may block on a file system that the process controls. So do not call it on the I/O
    /// thread if ``quick(_:procfs:)`` returns `nil`.
    /// - Parameter procfs: the directory where `proc` is mounted.
    init(of credentials: Credentials, procfs: String = "/proc") {
        if let sandbox = Self.quick(credentials, procfs: procfs) {
            self = sandbox
        } else {
            self = credentials.process.map { Self.root(of: $0, procfs: procfs) } ?? .hidden
        }
    }

    /// The sandbox, found without access to the process's file systems; `nil` if its root directory must be examined.
    static func quick(_ credentials: Credentials, procfs: String = "/proc") -> Confinement? {
        if let snap = snap(credentials.label) { return snap }
        guard let process = credentials.process else { return .hidden }
        // A process with the broker's own root directory is not in a Flatpak. This needs no right to trace the process,
        // so it works for programs that forbid core dumps (password managers, agents), whose root cannot be opened.
        guard let own = (procfs == "/proc" ? ownRootMount : nil) ?? rootMount(of: "self", procfs: procfs),
            own == rootMount(of: "\(process)", procfs: procfs)
        else { return nil }
        return .free
    }

    /// The ID of the broker's own root mount. The ID cannot be reused, because the broker keeps the mount in use.
    private static let ownRootMount = rootMount(of: "self", procfs: "/proc")

    /// The sandbox of a snap. snapd's labels are `snap.NAME.APP` and `snap.NAME.hook.HOOK`, and the id is `snap.NAME`.
    /// A snap whose profile enforces nothing, such as a “classic” one, is not in a sandbox (`nil`).
    private static func snap(_ label: String?) -> Confinement? {
        guard let label, label.utf8.starts(with: "snap.".utf8) else { return nil }
        if label.hasSuffix(" (complain)") || label.hasSuffix(" (unconfined)") { return nil }
        let parts = label.prefix { $0 != " " }.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return .hidden }
        let id = "snap.\(parts[1])"
        return Source.isSnap(id) ? .sandbox(id) : .hidden
    }

    /// The ID of the mount at the root directory of a process, unique on the system (proc_pid_mountinfo(5)); `nil` if
    /// it cannot be read, or if the root directory is not the root of a mount.
    private static func rootMount(of process: String, procfs: String) -> [UInt8]? {
        var found: [ArraySlice<UInt8>] = []
        guard let text = [UInt8](processFile: "\(procfs)/\(process)/mountinfo") else { return nil }
        // Parsed as bytes for speed: this runs for each new caller, and a desktop has several hundred mounts.
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            if fields.count > 4, fields[4].elementsEqual("/".utf8) { found.append(fields[0]) }
        }
        // If several mounts are stacked on `/`, any of them could be the root of the process.
        return found.count == 1 ? Array(found[0]) : nil
    }

    /// Examines the root directory of a process. In every Flatpak sandbox, and for its bus proxy, this directory
    /// contains `.flatpak-info`, which sandboxed programs cannot remove (flatpak-run(1)).
    ///
    /// A process is ``free`` only if its root directory can be opened and lacks this file. It cannot be opened if the
    /// process has exited and left its connection to another process, if it has its own mount namespace and forbids
    /// tracing, or if `/proc` conceals it (`hidepid`). A sandboxed program can cause each of these, so the result is ``hidden``.
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
    /// Reads a file in `/proc`, whose length is not known in advance; `nil` if it cannot be read or is too long.
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
            // No ordinary process has a list of mounts this long. If one does, its root directory is examined instead.
            if self.count > 4_194_304 { return nil }
        }
    }
}
