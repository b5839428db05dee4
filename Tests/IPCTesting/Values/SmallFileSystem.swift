internal import Glibc

/// A small file system in memory, for tests of a full disk; gone with the object.
package final class SmallFileSystem: Sendable {
    package let path: String

    /// Whether this process may mount.
    package static let isPossible = SmallFileSystem() != nil

    /// Mounts it at a directory of its own; nil where that is not allowed.
    package init?(megabytes: Int = 2) {
        var template = Array("/tmp/swift-ipc-disk-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            rmdir(path)
            return nil
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    private var ballast: String { path + "/ballast" }

    /// Takes all the room that is left.
    package func fill() {
        let descriptor = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
    }

    /// Gives the room back.
    package func empty() {
        // Cut first: a child that another test has forked may share the open file for a moment, and hold its room.
        truncate(ballast, 0)
        unlink(ballast)
    }
}
