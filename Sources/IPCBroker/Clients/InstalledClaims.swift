internal import IPCDesktop
internal import IPCModel
internal import Logging

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

    /// All claims; of an application that stands in several folders the first counts. A file that cannot be read is
    /// passed over and logged.
    func load() -> [ClaimFile] {
        var found: [ApplicationID: ClaimFile] = [:]
        for directory in directories {
            for file in Folder.names(directory).sorted() where file.hasSuffix(".handler") {
                do {
                    let application = try ApplicationID(String(file.dropLast(8)))
                    guard found[application] == nil else { continue }
                    found[application] = try ClaimFile(contentsOf: "\(directory)/\(file)", application: application)
                } catch { logger.warning("\(directory)/\(file) is passed over: \(error)") }
            }
        }
        return found.values.sorted { $0.application < $1.application }
    }
}
