internal import Glibc

package enum Folder {
    /// The names in a folder, without `.` and `..`; empty if it cannot be read.
    package static func names(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func parent(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The folders that do not exist, out of the given one and its parents, outermost first.
    static func missing(_ path: String) -> [String] {
        var (path, missing) = (path, [String]())
        while !path.isEmpty, !exists(path) {
            missing.insert(path, at: 0)
            path = parent(of: path)
        }
        return missing
    }

    /// Creates and returns the ``missing(_:)`` folders, accessible only to this user (XDG Base Directory Specification,
    /// "Referencing this specification").
    static func make(_ path: String) throws(FileFailure) -> [String] {
        let missing = missing(path)
        for folder in missing where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw FileFailure("make", folder, errno)
        }
        return missing
    }
}

/// Locks a folder of journals, so that only one process at a time writes files through them.
package struct FolderLock {
    private let descriptor: CInt
    /// The folders that were created for the lock, outermost first.
    let made: [String]

    /// Waits until no other process has the lock. Creates the folder if another process has removed it.
    init(_ path: String) throws(FileFailure) {
        var made: [String] = []
        while true {
            let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else {
                guard errno == ENOENT else { throw FileFailure("open", path, errno) }
                made += try Folder.make(path).filter { !made.contains($0) }
                continue
            }
            while flock(opened, LOCK_EX) != 0, errno == EINTR {}
            var (held, standing) = (stat(), stat())
            // The previous holder of the lock may have removed the folder, and another process may have recreated it.
            if fstat(opened, &held) == 0, stat(path, &standing) == 0, held.st_ino == standing.st_ino {
                (descriptor, self.made) = (opened, made)
                return
            }
            close(opened)
        }
    }

    func release() { close(descriptor) }
}
