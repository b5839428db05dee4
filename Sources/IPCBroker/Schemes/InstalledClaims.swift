internal import Glibc
internal import IPCDesktop
internal import IPCModel
internal import Logging

/// A claim that a file makes.
struct InstalledClaim {
    let file: ClaimFile
    /// When the file came to stand there, in milliseconds since 1970: a package brings along when its files were written, which says
    /// nothing here, so that this is the time of the last change of its status (inode(7), `st_ctim`).
    let time: UInt64
}

/// Claims that packages install: `swift-ipc/handlers/<application id>.handler` below the data folders of the XDG Base
/// Directory Specification, and below the runtime directory for those of a session. They need no user's store, and go
/// with the package.
struct InstalledClaims {
    let directories: [String]
    let logger: Logger

    /// - Parameter environment: `XDG_DATA_HOME`, `XDG_DATA_DIRS`, `XDG_RUNTIME_DIR` and `HOME` are read.
    init(environment: (String) -> String?, logger: Logger) {
        let base = BaseDirectories(environment: environment)
        directories = (base.data + [base.runtime].compactMap(\.self)).map { "\($0)/\(ClaimFile.folder)" }
        self.logger = logger
    }

    /// All claims, the oldest first; of an application that stands in several folders the first counts. A file that cannot
    /// be read is passed over and logged.
    func load() -> [InstalledClaim] {
        var found: [ApplicationID: InstalledClaim] = [:]
        for directory in directories {
            for file in Folder.names(directory).sorted() where file.hasSuffix(".handler") {
                do {
                    let application = try ApplicationID(String(file.dropLast(8)))
                    guard found[application] == nil else { continue }
                    let path = "\(directory)/\(file)"
                    found[application] = InstalledClaim(
                        file: try ClaimFile(contentsOf: path, application: application), time: Self.time(of: path))
                } catch { logger.warning("\(directory)/\(file) is passed over: \(error)") }
            }
        }
        return found.values.sorted { ($0.time, $0.file.application) < ($1.time, $1.file.application) }
    }

    private static func time(of path: String) -> UInt64 {
        var status = stat()
        // One that was taken away since it was read is as new as can be.
        guard stat(path, &status) == 0 else { return .max }
        return UInt64(max(0, status.st_ctim.tv_sec)) * 1_000 + UInt64(status.st_ctim.tv_nsec) / 1_000_000
    }
}
