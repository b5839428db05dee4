internal import Glibc
internal import IPCDBus
internal import IPCModel

/// The directory in which sockets have a name for the moment between their making and their handing over: this user's
/// alone, never a common one.
struct RuntimeDirectory: Sendable {
    let path: String

    /// `swift-ipc` in `XDG_RUNTIME_DIR` (XDG Base Directory Specification), else the folder of the store.
    init(store: String, environment: [String: String]) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            path = runtime + "/swift-ipc"
        } else {
            path = store
        }
    }

    /// Opens it, made where it is missing.
    /// - Throws: `storeUnavailable` where it cannot be made, is a link, somebody else's, or open to others.
    func open() throws(IPCError) -> Descriptor {
        // Only the last element: the directory above belongs to the session, and where it is missing there is none.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw refusal(String(cString: strerror(errno))) }
        let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw refusal(String(cString: strerror(errno))) }
        let directory = Descriptor(owning: opened)
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_uid == geteuid() else {
            throw refusal("it belongs to somebody else")
        }
        if status.st_mode & 0o077 != 0, fchmod(opened, 0o700) != 0 { throw refusal("others may enter it") }
        return directory
    }

    private func refusal(_ reason: String) -> IPCError {
        IPCError(
            .storeUnavailable,
            "there is no place for the socket of a direct connection, \(path.quoted): \(reason); stay on the bus")
    }
}
