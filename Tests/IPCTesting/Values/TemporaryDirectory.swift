internal import Glibc

/// A new directory with mode 0700 on a real disk, removed with its contents when the value is released or `remove()` is
/// called.
///
/// It is below `IPC_TEST_DIRECTORY` if that is set, or else below `/var/tmp`. A file system in memory is rejected,
/// because a flush to it proves nothing.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String

    /// Creates the directory. Its name contains `name`, a short word for people who look at it.
    package init(_ name: String = "test") throws {
        let base = environmentVariable("IPC_TEST_DIRECTORY") ?? "/var/tmp"
        guard try !Self.isInMemory(base) else {
            throw HarnessError("\(base) is a file system in memory; set IPC_TEST_DIRECTORY to a directory on a disk.")
        }
        var template = Array("\(base)/ipc-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessError.system("mkdtemp below \(base)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { remove() }

    /// The path of an entry in the directory; nothing is created.
    package func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates a directory below this one, with its parents; returns its path.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        var made = path
        for element in name.split(separator: "/") {
            made += "/\(element)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw HarnessError.system("mkdir \(made)") }
        }
        return made
    }

    /// Removes the directory and its contents; symbolic links are removed, not followed.
    package func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        // unlink(2) does not remove directories, and does not follow links.
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in FileContents.names(in: path) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
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
