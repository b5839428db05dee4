internal import Glibc
internal import IPCModel
internal import Logging

/// Claims that packages install: `swift-ipc/handlers/<application id>.handler` below the data folders of the XDG Base
/// Directory Specification. They need no user's store, and go with the package.
struct InstalledClaims {
    struct Entry {
        let application: ApplicationID
        let schemes: [URLScheme]
        /// Whether it takes large payloads as descriptors.
        let takesDescriptors: Bool
    }

    let directories: [String]
    let logger: Logger

    /// - Parameter environment: `XDG_DATA_HOME`, `XDG_DATA_DIRS` and `HOME` are read.
    init(environment: (String) -> String?, logger: Logger) {
        let home = environment("XDG_DATA_HOME") ?? environment("HOME").map { $0 + "/.local/share" }
        let system = environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        directories = ([home].compactMap(\.self) + system.split(separator: ":").map(String.init))
            .filter { $0.hasPrefix("/") }.map { $0 + "/swift-ipc/handlers" }
        self.logger = logger
    }

    /// All claims; of an application that stands in several folders the first counts. A file that cannot be read is
    /// passed over and logged.
    func load() -> [Entry] {
        var found: [ApplicationID: Entry] = [:]
        for directory in directories {
            for file in Self.names(in: directory) where file.hasSuffix(".handler") {
                do {
                    let application = try ApplicationID(String(file.dropLast(8)))
                    guard found[application] == nil else { continue }
                    found[application] = try Self.entry(of: application, in: "\(directory)/\(file)")
                } catch { logger.warning("\(directory)/\(file) is passed over: \(error)") }
            }
        }
        return found.values.sorted { $0.application < $1.application }
    }

    private static func names(in directory: String) -> [String] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    /// `Schemes=a;b;` and `Descriptors=true` in the group `[Handler]` of a key file.
    private static func entry(of application: ApplicationID, in path: String) throws -> Entry {
        let group = try KeyFile(contentsOf: path)["Handler"]
        guard let schemes = group?["Schemes"] else {
            throw IPCError(.invalidArguments, "it has no key “Schemes” in a group [Handler]")
        }
        let descriptors = group?["Descriptors"] ?? "false"
        guard ["true", "false"].contains(descriptors) else {
            throw IPCError(.invalidArguments, "its key “Descriptors” is true or false, not \(descriptors.quoted)")
        }
        return Entry(
            application: application, schemes: try schemes.split(separator: ";").map { try URLScheme(String($0)) },
            takesDescriptors: descriptors == "true")
    }
}
