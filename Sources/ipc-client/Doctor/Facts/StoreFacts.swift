import Glibc
import IPCDesktop

struct StoreFacts: Sendable {
    /// The path that the running broker reports, or the path that a broker started by the bus would use.
    var path = ""
    var directory = FileFacts(path: "")
    /// The files and folders in the store.
    var files: [FileFacts] = []
    /// Why the running broker cannot write to its store, in its own words; nil if it can, or if there is no broker.
    var problem: String?
    /// The names of damaged databases and values that the broker has moved aside.
    var quarantined: [String] = []
    /// Whether the file system is mounted read-only.
    var isReadOnly = false
    /// The number of bytes that this user can still write.
    var free: UInt64 = 0
    /// The size of the file system in bytes.
    var size: UInt64 = 0
    /// The process that holds the lock of the store; nil if there is none, or it is unknown.
    var holder: Int32?
}

extension Facts {
    mutating func readStore() {
        if store.path.isEmpty { store.path = usualStore(bus.environment ?? variables) }
        store.directory = .read(store.path)
        guard store.directory.kind == .directory else { return }
        let names = Folder.names(store.path).sorted()
        store.files = names.map { .read("\(store.path)/\($0)") }
        // `Quarantine` in IPCStore gives damaged databases and values this prefix.
        store.quarantined = names.filter { $0.hasPrefix("store.sqlite.damaged-") }
        var status = statvfs()
        if statvfs(store.path, &status) == 0 {
            store.isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
            store.free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
            store.size = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        }
        store.holder = FileLock.holder(of: "\(store.path)/lock")
    }

    /// The store path that a broker with these environment variables would use.
    private func usualStore(_ variables: [String: String]) -> String {
        if let path = variables["SWIFT_IPC_STORE"], path.hasPrefix("/") { return path }
        return configuration.store ?? BaseDirectories { variables[$0] }.store ?? ""
    }
}

/// A lock on a whole file (`flock`). Doctor never takes it, because a starting broker must find it free.
enum FileLock {
    static func holder(of path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0, let table = FilePlace.bytes(of: "/proc/locks") else { return nil }
        return holder(device: status.st_dev, file: UInt64(status.st_ino), in: String(decoding: table, as: UTF8.self))
    }

    /// Finds the process that holds the lock on a file in the text of `/proc/locks` (proc_locks(5)):
    /// `1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`.
    static func holder(device: UInt, file: UInt64, in table: String) -> Int32? {
        // The device's major and minor numbers, as makedev(3) encodes them.
        let (major, minor) = ((device >> 8) & 0xFFF | (device >> 32) & ~0xFFF, device & 0xFF | (device >> 12) & ~0xFF)
        let place = [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) + ":" }.joined() + String(file)
        let locks = table.split(separator: "\n").map { $0.split(separator: " ") }
        let lock = locks.first { $0.count > 5 && $0[1] == "FLOCK" && $0[3] == "WRITE" && $0[5] == place }
        // For a process in another namespace, the table shows no valid id.
        return lock.flatMap { Int32($0[4]) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
