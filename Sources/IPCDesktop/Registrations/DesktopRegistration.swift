package import IPCModel

/// The part of a claim that the desktop sees, and the bus: an entry by which URLs come to the broker, the user's default
/// where nobody else is it, and a service file by which the bus starts the application.
package struct DesktopRegistration: Sendable {
    private let directories: BaseDirectories
    private let application: ApplicationID
    private let dataHome: String
    private let files: JournaledFiles

    /// - Throws: `invalidArguments` without a home.
    package init(_ application: ApplicationID, in directories: BaseDirectories) throws(IPCError) {
        guard let dataHome = directories.dataHome else {
            throw IPCError(
                .invalidArguments, "there is no folder for data; set HOME or XDG_DATA_HOME to an absolute path")
        }
        self.directories = directories
        self.application = application
        self.dataHome = dataHome
        files = JournaledFiles(folder: "\(dataHome)/\(Self.folder)")
    }

    /// The folder of the journals below one of data.
    package static let folder = "swift-ipc/registered"

    /// What is asked for.
    package struct Request: Sendable {
        package var schemes: [URLScheme]
        /// The absolute path of `ipc-client`.
        package var opener: String
        /// What the bus starts; `nil`: what an earlier registration said, else nothing.
        package var command: CommandWords?
        /// Whether the application becomes the desktop's handler of these schemes also where there is another one.
        package var makesDefault = false

        package init(schemes: [URLScheme], opener: String) {
            self.schemes = schemes
            self.opener = opener
        }
    }

    /// What has been done.
    package struct Result: Sendable {
        package var changes: [FileChange] = []
        /// Schemes that come here from the desktop, by which entry.
        package var entry: String?
        package var schemes: [URLScheme] = []
        /// Schemes that another entry handles on the desktop, and that were left to it.
        package var elsewhere: [(scheme: URLScheme, path: String)] = []
        /// Whether there is a service file.
        package var isActivatable = false
    }

    /// The schemes for which something is written.
    package func schemes() throws(FileFailure) -> [URLScheme] {
        RegistrationFacts(try files.facts(of: application.text)).schemes
    }

    /// Writes what there is to write for these schemes and for those that were registered before.
    /// - Throws: ``FileFailure`` where nothing could be written; `inputOutput` where the desktop makes something else of it.
    package func register(_ request: Request) throws(IPCError) -> Result {
        var result = Result()
        do throws(FileFailure) {
            var facts = RegistrationFacts(try files.facts(of: application.text))
            facts.add(request.schemes, makesDefault: request.makesDefault, command: request.command)
            facts.opener = request.opener
            try write(facts, into: &result)
        } catch { throw error.ipcError }
        try check(result)
        return result
    }

    /// Takes schemes back, and with the last one everything.
    /// - Parameter schemes: `nil` means all.
    package func unregister(_ schemes: [URLScheme]?) throws(IPCError) -> Result {
        var result = Result()
        do throws(FileFailure) {
            guard let noted = try files.facts(of: application.text) else {
                result.changes = left.map { FileChange(path: $0, kind: .kept) }
                return result
            }
            var facts = RegistrationFacts(noted)
            facts.remove(schemes)
            guard !facts.schemes.isEmpty else {
                result.changes = try files.takeBack(application.text)
                return result
            }
            try write(facts, into: &result)
        } catch { throw error.ipcError }
        return result
    }

    /// Entries that were written for the application, and stayed for somebody had changed them.
    private var left: [String] {
        InstalledEntries(directories).entries.values.filter {
            $0.application == application.text && $0.path.hasPrefix("\(dataHome)/")
        }.map(\.path).sorted()
    }

    private func write(_ facts: RegistrationFacts, into result: inout Result) throws(FileFailure) {
        let id = DesktopEntry.fileName(of: application)
        let applications = "\(dataHome)/\(DesktopEntry.folder)"
        let types = facts.schemes.flatMap { SchemeType.names(of: $0) }
        var (written, entryName) = (Result(), id)
        // The name of the entry is known before, for the cache; what is ours now is not another's.
        let earlier = try files.facts(of: application.text).map { RegistrationFacts($0) }
        let standing = InstalledEntries(directories).entries[id]
        if let standing, standing.application != application.text || earlier?.entry.map({ $0 != id }) ?? false {
            entryName = DesktopEntry.fileName(of: application, isSecond: true)
        }
        var facts = facts
        facts.entry = entryName
        written.changes = try files.write(
            for: application.text, facts: facts.noted,
            update: .desktopDatabase(of: applications, entry: entryName, types: types)
        ) { () throws(FileFailure) in
            plan(facts, entryName, &written)
        }
        result = written
    }

    private func plan(_ facts: RegistrationFacts, _ entryName: String, _ result: inout Result) -> [PlannedFile] {
        var files: [PlannedFile] = []
        let installed = InstalledEntries(directories)
        for scheme in facts.schemes {
            if let other = installed.handler(of: scheme, but: entryName), !facts.defaults.contains(scheme) {
                result.elsewhere.append((scheme, other.path))
            } else {
                result.schemes.append(scheme)
            }
        }
        if !result.schemes.isEmpty {
            let entry = DesktopEntry(application: application, opener: facts.opener ?? "", schemes: result.schemes)
            let path = "\(dataHome)/\(DesktopEntry.folder)/\(entryName)"
            result.entry = path
            files.append(.whole(path, entry.text))
            if let list = MimeAppsList.path(in: directories) {
                let insertions = result.schemes.flatMap { scheme in
                    SchemeType.names(of: scheme).map { (key: $0, inFront: facts.defaults.contains(scheme)) }
                }
                files.append(.value(entryName, in: insertions, group: MimeAppsList.defaults, of: list))
            }
        }
        if let command = facts.command {
            let service = ServiceFile(name: application.text, command: command)
            files.append(.whole("\(dataHome)/\(ServiceFile.folder)/\(service.fileName)", service.text))
            result.isActivatable = true
        }
        return files
    }

    /// Reads back what programs of the desktop make of it.
    private func check(_ result: Result) throws(IPCError) {
        guard let entry = result.entry else { return }
        let installed = InstalledEntries(directories)
        for scheme in result.schemes where installed.handler(of: scheme)?.path != entry {
            let other = installed.handler(of: scheme)?.path ?? "nobody"
            throw IPCError(
                .inputOutput,
                "\(entry) was written, but on the desktop \(scheme) goes to \(other); see what mimeapps.list says")
        }
    }
}

/// What a journal notes of a registration.
struct RegistrationFacts {
    var schemes: [URLScheme]
    var defaults: [URLScheme]
    var opener: String?
    var command: CommandWords?
    var entry: String?
    var takesDescriptors: Bool

    init(_ noted: [String: String]?) {
        let list = { (key: String) in
            (noted?[key] ?? "").split(separator: ";").compactMap { try? URLScheme(String($0)) }
        }
        (schemes, defaults) = (list("Schemes"), list("Default"))
        (opener, entry) = (noted?["Opener"], noted?["Entry"])
        command = noted?["Exec"].flatMap { try? CommandWords($0) }
        takesDescriptors = noted?["Descriptors"] == "true"
    }

    /// Adds schemes to those that were registered before.
    mutating func add(_ more: [URLScheme], makesDefault: Bool = false, command: CommandWords?) {
        schemes = schemes.filter { !more.contains($0) } + more
        if makesDefault { defaults = defaults.filter { !more.contains($0) } + more }
        self.command = command ?? self.command
    }

    /// - Parameter fewer: `nil` means all.
    mutating func remove(_ fewer: [URLScheme]?) {
        schemes.removeAll { fewer?.contains($0) ?? true }
        defaults.removeAll { fewer?.contains($0) ?? true }
    }

    var noted: [String: String] {
        let list = { (schemes: [URLScheme]) in schemes.map { $0.spelling + ";" }.joined() }
        var noted = ["Schemes": list(schemes), "Default": list(defaults), "Descriptors": "\(takesDescriptors)"]
        (noted["Opener"], noted["Exec"], noted["Entry"]) = (opener, command?.text, entry)
        return noted
    }
}
