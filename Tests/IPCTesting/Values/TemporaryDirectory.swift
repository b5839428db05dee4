internal import Glibc

/// A new directory of mode 0700 on a real disk, removed with its contents when the value is released or `remove()`
/// is called.
///
/// It lies below `IPC_TEST_DIRECTORY` if that is set, else below `/var/tmp`; a file system in memory is refused,
/// because a flush to it shows nothing.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String

    /// Makes the directory. `name` is a short part of its name, for people who look at it.
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

    /// The path of something in the directory; nothing is made.
    package func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a directory below this one, with those between; returns its path.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        var made = path
        for element in name.split(separator: "/") {
            made += "/\(element)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw HarnessError.system("mkdir \(made)") }
        }
        return made
    }

    /// Removes the directory and what is in it; symbolic links are removed, not followed.
    package func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        // unlink(2) does not remove directories, and does not follow links.
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in FileContents.names(in: path) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Whether the path lies on a file system without a disk: that of the longest mount point that holds it, the last
    /// mounted if there are several (proc_pid_mounts(5): device, mount point, type, …).
    private static func isInMemory(_ path: String) throws -> Bool {
        let mounts = try FileContents.text("/proc/self/mounts").split(separator: "\n").map { $0.split(separator: " ") }
        let holding = mounts.filter { $0.count > 2 && ($0[1] == "/" || "\(path)/".hasPrefix("\($0[1])/")) }
        let longest = holding.map { $0[1].utf8.count }.max()
        let type = holding.last { $0[1].utf8.count == longest }?[2]
        return type == "tmpfs" || type == "ramfs"
    }
}
