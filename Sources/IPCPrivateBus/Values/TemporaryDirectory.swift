internal import Glibc

/// A new directory with mode 0700, removed with its contents when the value is released or `remove()` is called.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String

    /// Creates the directory below `base`. Its name contains `name`, a short word for people who look at it.
    package init(_ name: String, below base: String) throws {
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
}
