private import Glibc
package import IPCModel

/// A claim until the end of the session: an installed claim and a service file below `XDG_RUNTIME_DIR`, which is gone then.
/// The desktop does not look there for entries, so browsers and `xdg-open` do not reach it.
package struct TransientRegistration: Sendable {
    private let application: ApplicationID
    private let runtime: String
    private let files: JournaledFiles

    /// - Throws: `invalidArguments` without `XDG_RUNTIME_DIR`, which only the session makes.
    package init(_ application: ApplicationID, in directories: BaseDirectories) throws(IPCError) {
        guard let runtime = directories.runtime else {
            throw IPCError(
                .invalidArguments, "there is no XDG_RUNTIME_DIR, so nothing can last for the session; use --persistent")
        }
        guard access(runtime, F_OK) == 0 else {
            throw IPCError(
                .invalidArguments,
                "XDG_RUNTIME_DIR is \(runtime.quoted), and there is no such directory, so nothing can last for the session; use "
                    + "--persistent")
        }
        self.application = application
        self.runtime = runtime
        files = JournaledFiles(folder: "\(runtime)/\(DesktopRegistration.folder)")
    }

    private static let schemes = "Schemes"
    private static let command = "Exec"
    private static let descriptors = "Descriptors"

    /// Writes what there is to write for these schemes and for those that were registered before.
    /// - Parameter command: what the bus starts; `nil`: what an earlier registration said, else nothing.
    package func register(
        _ schemes: [URLScheme], command: CommandWords?, takesDescriptors: Bool
    ) throws(IPCError) -> [FileChange] {
        do throws(FileFailure) {
            let noted = try files.facts(of: application.text) ?? [:]
            let all = Self.schemes(noted).filter { !schemes.contains($0) } + schemes
            return try write(
                all, command ?? noted[Self.command].flatMap { try? CommandWords($0) },
                takesDescriptors: takesDescriptors || noted[Self.descriptors] == "true")
        } catch { throw error.ipcError }
    }

    /// Takes schemes back, and with the last one everything.
    /// - Parameter schemes: `nil` means all.
    package func unregister(_ schemes: [URLScheme]?) throws(IPCError) -> [FileChange] {
        do throws(FileFailure) {
            guard let noted = try files.facts(of: application.text) else { return [] }
            let rest = Self.schemes(noted).filter { !(schemes?.contains($0) ?? true) }
            guard !rest.isEmpty else { return try files.takeBack(application.text) }
            return try write(
                rest, noted[Self.command].flatMap { try? CommandWords($0) },
                takesDescriptors: noted[Self.descriptors] == "true")
        } catch { throw error.ipcError }
    }

    private func write(
        _ schemes: [URLScheme], _ command: CommandWords?, takesDescriptors: Bool
    ) throws(FileFailure) -> [FileChange] {
        var facts = [
            Self.schemes: schemes.map { $0.spelling + ";" }.joined(), Self.descriptors: "\(takesDescriptors)",
        ]
        facts[Self.command] = command?.text
        return try files.write(for: application.text, facts: facts) { () throws(FileFailure) in
            let claim = ClaimFile(application: application, schemes: schemes, takesDescriptors: takesDescriptors)
            let name = ClaimFile.fileName(of: application)
            let service = command.map { ServiceFile(name: application.text, command: $0) }
            return [.whole("\(runtime)/\(ClaimFile.folder)/\(name)", claim.text)]
                + [service].compactMap(\.self).map {
                    .whole("\(runtime)/\(ServiceFile.folder)/\($0.fileName)", $0.text)
                }
        }
    }

    private static func schemes(_ noted: [String: String]) -> [URLScheme] {
        (noted[schemes] ?? "").split(separator: ";").compactMap { try? URLScheme(String($0)) }
    }
}
