internal import Glibc

/// A small file system in memory, for tests of a full disk; it disappears with the object.
package final class SmallFileSystem: Sendable {
    package let path: String

    /// Whether this process may mount.
    package static let isPossible = SmallFileSystem() != nil

    /// Mounts the file system at a new directory; `nil` if this process may not mount.
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

    /// Uses up all the remaining space.
    package func fill() {
        let descriptor = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
    }

    /// Frees the space again.
    package func empty() {
        // Truncate the file first: a child that another test is just forking may hold it open, and so keep its space in
        // use.
        truncate(ballast, 0)
        unlink(ballast)
    }
}
