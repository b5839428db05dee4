internal import Glibc

/// A lock that keeps other processes from opening a store, held as long as this object exists. The SQLite of Debian 12
/// can damage a write-ahead log that two connections use, so a store must never have a second connection.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, and writes the process ID into the lock file. The corresponding C function is `flock`.
    /// - Parameter waits: whether to block until the lock is free.
    /// - Throws: `StoreError.inUse`, which names the process that holds the lock.
    init(_ directory: StoreDirectory, waits: Bool = false) throws {
        let descriptor = try directory.openFile(directory.lock)
        var result: Int32
        repeat { result = flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        guard result == 0 else {
            defer { Glibc.close(descriptor) }
            guard errno == EWOULDBLOCK else {
                throw StoreDirectory.refusal(directory.lock, StoreDirectory.systemError)
            }
            throw StoreError.inUse(directory: directory.path, holder: Self.holder(descriptor))
        }
        self.descriptor = descriptor
        let number = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = number.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        // Unlocks explicitly: between fork and exec, a child process shares the open file, and would keep it locked.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// Describes the process that wrote the lock file, such as `process 123 (ipc-broker)`.
    private static func holder(_ descriptor: Int32) -> String {
        let number = firstLine(StoreDirectory.read(descriptor, at: 0, atMost: 64))
        guard let process = number.flatMap({ Int32($0) }) else { return "another process" }
        if process == getpid() { return "this process" }
        let name = firstLine(StoreDirectory.read("/proc/\(process)/comm", atMost: 64))
        return "process \(process)" + (name.map { " (\($0))" } ?? "")
    }

    private static func firstLine(_ bytes: [UInt8]?) -> Substring? {
        bytes.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n").first }
    }
}
