internal import Glibc

/// The lock on a store, held as long as the object lives, and by one process at a time.
///
/// SQLite of Debian 12 can damage a write-ahead log that two connections use; so there is never a second one.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock and writes the process's number into the file; an error that names the holder where it is taken.
    /// The corresponding C function is `flock`.
    init(_ directory: StoreDirectory) throws {
        let descriptor = try directory.openFile(directory.lock)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
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
        // By name: a child that was forked and has not yet executed its program shares the open file, and with it a lock
        // that a mere close would leave standing.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// Who wrote the lock file: `process 123 (ipc-broker)`.
    private static func holder(_ descriptor: Int32) -> String {
        let text = readText(descriptor).split(separator: "\n").first ?? ""
        guard let process = Int32(text) else { return "another process" }
        if process == getpid() { return "this process" }
        let names = Glibc.open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard names >= 0 else { return "process \(process)" }
        defer { Glibc.close(names) }
        return "process \(process) (\(readText(names).split(separator: "\n").first ?? ""))"
    }

    private static func readText(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
