internal import Glibc
internal import IPCDesktop
internal import IPCModel
internal import Logging

/// Claims that packages install as files: `swift-ipc/handlers/<application id>.handler` in the data directories of the
/// XDG Base Directory Specification or, for one session only, in the runtime directory. Such claims are not in any
/// user's store, and are removed with the package.
struct InstalledClaims {
    struct Claim {
        let file: ClaimFile
        /// When the file's status last changed, in milliseconds since 1970 (inode(7), `st_ctim`). The modification time
        /// does not show when a file was installed, because package managers preserve it.
        let time: UInt64
    }

    private let directories: [String]
    private let logger: Logger
    private var known: [ApplicationID: ClaimFile] = [:]

    /// - Parameter environment: `XDG_DATA_HOME`, `XDG_DATA_DIRS`, `XDG_RUNTIME_DIR` and `HOME` are used.
    init(environment: [String: String], logger: Logger) {
        let base = BaseDirectories(environment: { environment[$0] })
        directories = (base.data + [base.runtime].compactMap(\.self)).map { "\($0)/\(ClaimFile.folder)" }
        self.logger = logger
    }

    /// Reads all claims, oldest first. Only an application's first file counts. Logs and skips unreadable files.
    func load() -> [Claim] {
        var found: [ApplicationID: Claim] = [:]
        for directory in directories {
            for file in Folder.names(directory).sorted() where file.hasSuffix(".handler") {
                do {
                    let application = try ApplicationID(String(file.dropLast(8)))
                    guard found[application] == nil else { continue }
                    let path = "\(directory)/\(file)"
                    found[application] = Claim(
                        file: try ClaimFile(contentsOf: path, application: application), time: Self.time(of: path))
                } catch { logger.warning("\(directory)/\(file) is ignored: \(error)") }
            }
        }
        return found.values.sorted { ($0.time, $0.file.application) < ($1.time, $1.file.application) }
    }

    /// Reads all claims again.
    /// - Returns: the claims, oldest first, and the schemes that each application no longer claims in any file.
    mutating func reload() -> (claims: [ClaimFile], gone: [(ApplicationID, [URLScheme])]) {
        let former = known
        let claims = load().map(\.file)
        known = Dictionary(uniqueKeysWithValues: claims.map { ($0.application, $0) })
        let gone = former.values.map { claim in
            let rest = known[claim.application]?.schemes ?? []
            return (claim.application, claim.schemes.filter { !rest.contains($0) })
        }
        return (claims, gone.filter { !$0.1.isEmpty })
    }

    private static func time(of path: String) -> UInt64 {
        var status = stat()
        // A file that was removed in the meantime counts as the newest.
        guard stat(path, &status) == 0 else { return .max }
        return UInt64(max(0, status.st_ctim.tv_sec)) * 1_000 + UInt64(status.st_ctim.tv_nsec) / 1_000_000
    }
}
