internal import Glibc
internal import IPCModel
internal import Synchronization

/// The folder `blobs` of a store: one file for each large value of a persistent pasteboard.
///
/// A file is written under a name of its own, brought to the disk, and only then given the name by which its row knows
/// it: 16 hexadecimal digits, the key of the row. All names are looked up in the open folder, never by a path.
final class BlobFolder: Sendable {
    let path: String
    private let descriptor: CInt
    private let limits: Limits
    /// Names are never used again, also not by a later run, so that nobody takes a file for one of his own.
    private let nextIncoming: Atomic<UInt64>
    private let firstIncoming: UInt64

    static let incomingPrefix = "incoming-"

    /// Makes the folder with mode 0700 where it is missing, and checks whose it is.
    init(_ directory: StoreDirectory, _ limits: Limits) throws {
        let path = directory.path + "/blobs"
        if mkdir(path, 0o700) == 0 { try directory.synchronize() }
        self.path = try StoreDirectory(path).path
        descriptor = Glibc.open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
        self.limits = limits
        firstIncoming = UInt64.random(in: 0..<1 << 60)
        nextIncoming = Atomic(firstIncoming)
    }

    deinit { close(descriptor) }

    /// Makes a file, open for reading and writing, that nobody else may write.
    func makeIncoming() throws -> (name: String, descriptor: CInt) {
        while true {
            let name = Self.incomingPrefix + String(nextIncoming.add(1, ordering: .relaxed).oldValue)
            let file = openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o400)
            if file >= 0 { return (name, file) }
            guard errno == EEXIST else { throw FileFailure.condition(errno, limits) }
        }
    }

    /// Whether a file that waits for its row was made by this run.
    func isOwn(incoming name: String) -> Bool {
        guard let number = Self.incomingNumber(of: name) else { return false }
        return number >= firstIncoming && number < nextIncoming.load(ordering: .relaxed)
    }

    /// The number in the name of a file that waits for its row; nil where it is no such name.
    static func incomingNumber(of name: String) -> UInt64? {
        name.hasPrefix(incomingPrefix) ? UInt64(name.dropFirst(incomingPrefix.count)) : nil
    }

    /// Gives a file the name of its row; durable after ``synchronize()``. The corresponding C function is `renameat`.
    func attach(_ incoming: String, as key: UInt64) throws {
        guard renameat(descriptor, incoming, descriptor, Self.name(of: key)) == 0 else {
            throw FileFailure.condition(errno, limits)
        }
    }

    /// Gives a file the name back that it had before it had a row.
    func detach(_ key: UInt64, to incoming: String) {
        // A file that keeps its name is one without a row, which the next start removes.
        renameat(descriptor, Self.name(of: key), descriptor, incoming)
    }

    /// Puts a file without a row into a folder beside a damaged database, or gives it a name of those to be removed,
    /// and gives the new name; nil where it cannot.
    func putAside(_ key: UInt64, in folder: String?) -> String? {
        let name = Self.name(of: key)
        if let folder { return renameat(descriptor, name, AT_FDCWD, folder + "/" + name) == 0 ? name : nil }
        let newName = Self.incomingPrefix + String(nextIncoming.add(1, ordering: .relaxed).oldValue)
        return renameat(descriptor, name, descriptor, newName) == 0 ? newName : nil
    }

    /// Makes the names durable. The corresponding C function is `fsync`.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
    }

    /// Opens the file of a row for reading; nil where it is not there, or is not what was written. `LimitExceeded` and
    /// `InputOutput` where it may be there and cannot be opened now.
    func open(_ key: UInt64, size: UInt64) throws -> CInt? {
        let file = openat(descriptor, Self.name(of: key), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            // A link or a socket in its place is not what was written.
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
            throw FileFailure.unreadable(errno, limits)
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size == Int(clamping: size)
        else {
            close(file)
            return nil
        }
        return file
    }

    /// Removes files; one that stays behind is removed after the next start.
    func remove(_ names: [String]) {
        for name in names { unlinkat(descriptor, name, 0) }
    }

    /// Lists the names in the folder.
    func listing() throws -> FolderListing { try FolderListing(path) }

    /// The name of the file of a row.
    static func name(of key: UInt64) -> String {
        let digits = String(key, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The key of the row whose file has a name; nil where no row can have it.
    static func key(of name: String) -> UInt64? {
        guard let key = UInt64(name, radix: 16), key <= UInt64(Int64.max), self.name(of: key) == name else {
            return nil
        }
        return key
    }
}

/// The names in a folder, a part of them at a time. The corresponding C functions are `opendir` and `readdir`.
final class FolderListing: Sendable {
    private let stream: Mutex<OpaquePointer>

    init(_ path: String) throws {
        guard let handle = opendir(path) else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
        stream = Mutex(handle)
    }

    deinit { stream.withLock { _ = closedir($0) } }

    /// The next names, none at the end.
    func next(atMost count: Int) -> [String] {
        stream.withLock { stream in
            var names: [String] = []
            while names.count < count, let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            return names
        }
    }
}
