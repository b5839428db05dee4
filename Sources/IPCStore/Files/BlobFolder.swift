internal import Glibc
internal import IPCModel
internal import Synchronization

/// The `blobs` folder of a store: one file for each large value of a persistent pasteboard. A file is written under a
/// temporary name, flushed, and renamed to the key of its row, in 16 hexadecimal digits. All names are looked up in the
/// open folder, never by path.
final class BlobFolder: Sendable {
    let path: String
    private let descriptor: CInt
    private let limits: Limits
    /// The number of the next temporary file. Each run of the broker starts at a random number, so that it can tell its
    /// own files from those of earlier runs.
    private let nextIncoming: Atomic<UInt64>
    private let firstIncoming: UInt64

    static let incomingPrefix = "incoming-"

    /// Opens or creates the folder with mode 0700, and checks its owner.
    init(_ directory: StoreDirectory, _ limits: Limits) throws {
        path = try StoreDirectory(directory.path + "/blobs").path
        descriptor = Glibc.open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
        self.limits = limits
        firstIncoming = UInt64.random(in: 0..<1 << 60)
        nextIncoming = Atomic(firstIncoming)
    }

    deinit { close(descriptor) }

    /// Creates a temporary file, open for reading and writing. Its mode prevents opening it for writing again.
    func makeIncoming() throws -> (name: String, descriptor: CInt) {
        while true {
            let name = newIncomingName()
            let file = openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o400)
            if file >= 0 { return (name, file) }
            guard errno == EEXIST else { throw FileFailure.condition(errno, limits) }
        }
    }

    private func newIncomingName() -> String {
        Self.incomingPrefix + String(nextIncoming.add(1, ordering: .relaxed).oldValue)
    }

    /// Whether this run of the broker created the temporary file, in which case an operation may still write a row for
    /// the file.
    func isOwn(incoming name: String) -> Bool {
        guard let number = Self.incomingNumber(of: name) else { return false }
        return number >= firstIncoming && number < nextIncoming.load(ordering: .relaxed)
    }

    static func incomingNumber(of name: String) -> UInt64? {
        name.hasPrefix(incomingPrefix) ? UInt64(name.dropFirst(incomingPrefix.count)) : nil
    }

    /// Renames a file to the key of its row. ``synchronize()`` makes the new name durable. The corresponding C function
    /// is `renameat`.
    func attach(_ incoming: String, as key: UInt64) throws {
        guard renameat(descriptor, incoming, descriptor, Self.name(of: key)) == 0 else {
            throw FileFailure.condition(errno, limits)
        }
    }

    func detach(_ key: UInt64, to incoming: String) {
        // If this fails, the next start removes the file, because it has no row.
        renameat(descriptor, Self.name(of: key), descriptor, incoming)
    }

    /// Moves a file that has no row into `folder`, which is beside a damaged database. If `folder` is `nil`, gives the
    /// file a temporary name, under which it can be removed.
    /// - Returns: the new name; `nil` if the file could not be renamed.
    func putAside(_ key: UInt64, in folder: String?) -> String? {
        let name = Self.name(of: key)
        if let folder { return renameat(descriptor, name, AT_FDCWD, folder + "/" + name) == 0 ? name : nil }
        let newName = newIncomingName()
        return renameat(descriptor, name, descriptor, newName) == 0 ? newName : nil
    }

    /// Makes the names of the files durable. The corresponding C function is `fsync`.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
    }

    /// Opens the file of a row for reading; `nil` if the file is missing or was replaced.
    /// - Throws: `LimitExceeded` or `InputOutput` if the file may exist but cannot be opened now.
    func open(_ key: UInt64, size: UInt64) throws -> CInt? {
        let file = openat(descriptor, Self.name(of: key), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            // The file is missing, or a link or a socket has replaced it.
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
            throw FileFailure.condition(errno, limits, cannotBe: "read")
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

    /// Removes files. The next start removes any that remain.
    func remove(_ names: [String]) {
        for name in names { unlinkat(descriptor, name, 0) }
    }

    static func name(of key: UInt64) -> String {
        let digits = String(key, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The key in the name of a row's file; `nil` for any other name.
    static func key(of name: String) -> UInt64? {
        guard let key = UInt64(name, radix: 16), key <= UInt64(Int64.max), self.name(of: key) == name else {
            return nil
        }
        return key
    }
}

/// Lists the names in a folder, a few at a time. The corresponding C functions are `opendir` and `readdir`.
final class FolderListing: Sendable {
    private let stream: Mutex<OpaquePointer>

    init(_ path: String) throws {
        guard let handle = opendir(path) else { throw StoreDirectory.refusal(path, StoreDirectory.systemError) }
        stream = Mutex(handle)
    }

    deinit { stream.withLock { _ = closedir($0) } }

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
