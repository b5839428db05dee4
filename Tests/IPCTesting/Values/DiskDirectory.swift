extension TemporaryDirectory {
    /// Creates a directory on a real disk. Its name contains `name`, a short word for people who look at it.
    ///
    /// It is below `IPC_TEST_DIRECTORY` if that is set, or else below `/var/tmp`. A file system in memory is rejected,
    /// because a flush to it proves nothing.
    package convenience init(_ name: String = "test") throws {
        let base = environmentVariable("IPC_TEST_DIRECTORY") ?? "/var/tmp"
        guard try !Self.isInMemory(base) else {
            throw HarnessError("\(base) is a file system in memory; set IPC_TEST_DIRECTORY to a directory on a disk.")
        }
        try self.init(name, below: base)
    }

    /// Whether the path is on a file system without a disk. The path is on the file system with the longest mount point
    /// that contains it or, if several are mounted there, on the one mounted last (proc_pid_mounts(5): device, mount
    /// point, type, …).
    private static func isInMemory(_ path: String) throws -> Bool {
        let mounts = try FileContents.text("/proc/self/mounts").split(separator: "\n").map { $0.split(separator: " ") }
        let holding = mounts.filter { $0.count > 2 && ($0[1] == "/" || "\(path)/".hasPrefix("\($0[1])/")) }
        let longest = holding.map { $0[1].utf8.count }.max()
        let type = holding.last { $0[1].utf8.count == longest }?[2]
        return type == "tmpfs" || type == "ramfs"
    }
}
