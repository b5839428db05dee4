package import IPCModel

/// Writes and reverts an application's files for the desktop and the bus, with ``JournaledFiles``: a desktop entry that
/// passes URLs to the broker, an entry in the user's list of defaults unless another application is the default, and a
/// service file that lets the bus start the application.
package struct DesktopRegistration: Sendable {
    private let directories: BaseDirectories
    private let application: ApplicationID
    private let dataHome: String
    private let files: JournaledFiles

    /// - Throws: `invalidArguments` if there is no home directory.
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

    /// The folder of the journals, relative to a data folder or to the runtime directory.
    package static let folder = "swift-ipc/registered"

    package struct Result: Sendable {
        package var changes: [FileChange] = []
        /// The path of the desktop entry that handles ``schemes``; `nil` if there is none.
        package var entry: String?
        package var schemes: [URLScheme] = []
        /// Schemes that another desktop entry handles and keeps, each with the path of that entry.
        package var elsewhere: [(scheme: URLScheme, path: String)] = []
        /// Whether there is a service file, so that the bus can start the application.
        package var isActivatable = false
    }

    /// Writes the files for these schemes and for those registered earlier.
    /// - Parameters:
    ///   - opener: the absolute path of `ipc-client`.
    ///   - command: the command that the bus runs; `nil` keeps the command of an earlier registration, if any.
    ///   - makesDefault: whether the application replaces another handler of these schemes on the desktop.
    ///   - isExact: whether an earlier command and default go if they are not stated again.
    /// - Throws: the error of a ``FileFailure`` if no file was written; `inputOutput` if the desktop ignores the files.
    package func register(
        _ schemes: [URLScheme], opener: String, command: CommandWords?, makesDefault: Bool, isExact: Bool = false
    ) throws(IPCError) -> Result {
        let (result, fault): (Result, IPCError?)
        do throws(FileFailure) {
            (result, fault) = try files.locked { (lock) throws(FileFailure) in
                var facts = RegistrationFacts(try files.facts(of: application.text))
                if isExact { facts.forget(schemes) }
                facts.add(schemes, makesDefault: makesDefault, command: command)
                facts.opener = opener
                let result = try write(facts, under: lock)
                return (result, mistake(in: result))
            }
        } catch { throw error.ipcError }
        if let fault { throw fault }
        return result
    }

    /// Unregisters the given schemes (`nil` means all). Once no scheme is left, all files are removed as well.
    package func unregister(_ schemes: [URLScheme]?) throws(IPCError) -> Result {
        do throws(FileFailure) {
            // Locking would create the folder.
            guard try files.facts(of: application.text) != nil else {
                return Result(changes: keptEntries.map { FileChange(path: $0, kind: .kept) })
            }
            return try files.locked { (lock) throws(FileFailure) in
                var facts = RegistrationFacts(try files.facts(of: application.text))
                facts.remove(schemes)
                guard facts.schemes.isEmpty else { return try write(facts, under: lock) }
                return Result(changes: try files.revert(application.text, under: lock))
            }
        } catch { throw error.ipcError }
    }

    /// Everything that is registered in a user's data folder, by application; empty if there is no home directory.
    package static func all(
        in directories: BaseDirectories
    ) throws(IPCError) -> [(application: ApplicationID, facts: RegistrationFacts)] {
        guard let dataHome = directories.dataHome else { return [] }
        let files = JournaledFiles(folder: "\(dataHome)/\(Self.folder)")
        do throws(FileFailure) {
            var all: [(application: ApplicationID, facts: RegistrationFacts)] = []
            for name in files.names.sorted() {
                // The journal of `ipc-client setup` has no schemes.
                guard let application = try? ApplicationID(name), let noted = try files.facts(of: name) else {
                    continue
                }
                var facts = RegistrationFacts(noted)
                facts.lacksFiles = try files.lacksFiles(of: name)
                if !facts.schemes.isEmpty { all.append((application, facts)) }
            }
            return all
        } catch { throw error.ipcError }
    }

    /// The paths of desktop entries that an earlier registration wrote and another program has changed since.
    private var keptEntries: [String] {
        InstalledEntries(directories).entries.values.filter {
            $0.application == application.text && $0.path.hasPrefix("\(dataHome)/")
        }.map(\.path).sorted()
    }

    private func write(_ facts: RegistrationFacts, under lock: FolderLock) throws(FileFailure) -> Result {
        let usual = DesktopEntry.fileName(of: application)
        let standing = InstalledEntries(directories).entries[usual]
        let isTaken = standing.map { $0.application != application.text || (facts.entry ?? usual) != usual } ?? false
        let name = DesktopEntry.fileName(of: application, isSecond: isTaken)
        var (facts, result) = (facts, Result())
        facts.entry = name
        result.changes = try files.write(
            for: application.text, facts: facts.noted, under: lock,
            cache: MimeCache(
                applications: "\(dataHome)/\(DesktopEntry.folder)", entry: name,
                types: SchemeType.names(of: facts.schemes))
        ) { () throws(FileFailure) in
            plannedFiles(facts, entry: name, &result)
        }
        return result
    }

    private func plannedFiles(_ facts: RegistrationFacts, entry name: String, _ result: inout Result) -> [PlannedFile] {
        var files: [PlannedFile] = []
        let installed = InstalledEntries(directories)
        for scheme in facts.schemes {
            if let other = installed.handler(of: scheme, but: name), !facts.defaults.contains(scheme) {
                result.elsewhere.append((scheme, other.path))
            } else {
                result.schemes.append(scheme)
            }
        }
        if !result.schemes.isEmpty {
            let entry = DesktopEntry(application: application, opener: facts.opener ?? "", schemes: result.schemes)
            let path = "\(dataHome)/\(DesktopEntry.folder)/\(name)"
            result.entry = path
            files.append(.whole(path, entry.text))
            if let list = MimeAppsList.path(in: directories) {
                let insertions = result.schemes.flatMap { scheme in
                    SchemeType.names(of: [scheme]).map { (key: $0, inFront: facts.defaults.contains(scheme)) }
                }
                files.append(.value(name, in: insertions, group: MimeAppsList.defaults, of: list))
            }
        }
        if let command = facts.command {
            files.append(ServiceFile(name: application.text, command: command).planned(in: dataHome))
            result.isActivatable = true
        }
        return files
    }

    /// Checks that desktop programs will use the entry, by reading the files back in the same way as they do.
    /// - Returns: `nil` if they will.
    private func mistake(in result: Result) -> IPCError? {
        guard let entry = result.entry else { return nil }
        let installed = InstalledEntries(directories)
        for scheme in result.schemes where installed.handler(of: scheme)?.path != entry {
            let other = installed.handler(of: scheme)?.path ?? "nobody"
            return IPCError(
                .inputOutput,
                "\(entry) was written, but on the desktop \(scheme) still goes to \(other); check mimeapps.list")
        }
        return nil
    }
}

/// What the journal records about a registration.
package struct RegistrationFacts: Sendable {
    package fileprivate(set) var schemes: [URLScheme]
    /// The schemes for which the application replaces another handler on the desktop.
    package fileprivate(set) var defaults: [URLScheme]
    var opener: String?
    /// The command that the bus runs; `nil` if there is none.
    package fileprivate(set) var command: CommandWords?
    /// The file name of the desktop entry.
    var entry: String?
    var takesDescriptors: Bool
    /// Whether a file that was written is no longer there.
    package fileprivate(set) var lacksFiles = false

    init(_ noted: [String: String]?) {
        let list = { (key: String) in
            (noted?[key] ?? "").split(separator: ";").compactMap { try? URLScheme(String($0)) }
        }
        (schemes, defaults) = (list("Schemes"), list("Default"))
        (opener, entry) = (noted?["Opener"], noted?["Entry"])
        command = noted?["Exec"].flatMap { try? CommandWords($0) }
        takesDescriptors = noted?["Descriptors"] == "true"
    }

    mutating func add(_ more: [URLScheme], makesDefault: Bool = false, command: CommandWords?) {
        schemes = schemes.filter { !more.contains($0) } + more
        if makesDefault { defaults = defaults.filter { !more.contains($0) } + more }
        self.command = command ?? self.command
    }

    /// Forgets the command, and that the application replaces other handlers of these schemes.
    mutating func forget(_ schemes: [URLScheme]) {
        defaults.removeAll(where: schemes.contains)
        command = nil
    }

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
