private import Glibc
package import IPCModel

/// A claim that lasts until the session ends: a claim file and a service file in `XDG_RUNTIME_DIR`. The desktop does
/// not look for entries in that directory, so browsers and `xdg-open` do not use the claim.
package struct TransientRegistration: Sendable {
    private let application: ApplicationID
    private let runtime: String
    private let files: JournaledFiles
    private static let advice = ", so a claim cannot be kept until the end of the session; use --persistent"

    /// - Throws: `invalidArguments` if `XDG_RUNTIME_DIR` is not set or does not exist: only the session creates it.
    package init(_ application: ApplicationID, in directories: BaseDirectories) throws(IPCError) {
        guard let runtime = directories.runtime else {
            throw IPCError(.invalidArguments, "XDG_RUNTIME_DIR is not set" + Self.advice)
        }
        guard access(runtime, F_OK) == 0 else {
            throw IPCError(
                .invalidArguments, "XDG_RUNTIME_DIR is \(runtime.quoted), but there is no such directory" + Self.advice)
        }
        self.application = application
        self.runtime = runtime
        files = JournaledFiles(folder: "\(runtime)/\(DesktopRegistration.folder)")
    }

    /// Writes the files for these schemes and for those registered earlier.
    /// - Parameter command: the command that the bus runs; `nil` keeps the command of an earlier registration, if any.
    package func register(
        _ schemes: [URLScheme], command: CommandWords?, takesDescriptors: Bool
    ) throws(IPCError) -> [FileChange] {
        do throws(FileFailure) {
            return try files.locked { (lock) throws(FileFailure) in
                var facts = RegistrationFacts(try files.facts(of: application.text))
                facts.add(schemes, command: command)
                facts.takesDescriptors = takesDescriptors || facts.takesDescriptors
                return try write(facts, under: lock)
            }
        } catch { throw error.ipcError }
    }

    /// Unregisters the given schemes (`nil` means all). Once no scheme is left, all files are removed as well.
    package func unregister(_ schemes: [URLScheme]?) throws(IPCError) -> [FileChange] {
        do throws(FileFailure) {
            // Locking would create the folder.
            guard try files.facts(of: application.text) != nil else { return [] }
            return try files.locked { (lock) throws(FileFailure) in
                var facts = RegistrationFacts(try files.facts(of: application.text))
                facts.remove(schemes)
                guard facts.schemes.isEmpty else { return try write(facts, under: lock) }
                return try files.revert(application.text, under: lock)
            }
        } catch { throw error.ipcError }
    }

    private func write(_ facts: RegistrationFacts, under lock: FolderLock) throws(FileFailure) -> [FileChange] {
        try files.write(for: application.text, facts: facts.noted, under: lock) { () throws(FileFailure) in
            let claim = ClaimFile(
                application: application, schemes: facts.schemes, takesDescriptors: facts.takesDescriptors)
            let path = "\(runtime)/\(ClaimFile.folder)/\(ClaimFile.fileName(of: application))"
            let service = facts.command.map { ServiceFile(name: application.text, command: $0).planned(in: runtime) }
            return [.whole(path, claim.text)] + [service].compactMap(\.self)
        }
    }
}
