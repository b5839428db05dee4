import ArgumentParser
import Glibc
import IPC
import IPCDesktop
import IPCTools

struct Setup: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "setup", abstract: "Let the session bus find the broker and the sample handler, without root.",
        discussion: """
            Writes the same files in XDG_DATA_HOME as 'make install PREFIX=~/.local': the service files of the broker \
            and of ipc-server, the claim of the sample handler and, if the system was booted with systemd, the \
            broker's unit. The programs are not copied: the files contain the paths of the programs beside this one. \
            Prints a line for each file that it changes. A second run changes nothing. --undo restores the files as \
            they were before, and keeps the store.

            EXAMPLES
              ipc-client setup
              ipc-client setup --undo
            """)

    @Flag(help: "Restore the files as they were before.")
    var undo = false

    @Flag(
        inversion: .prefixedNo,
        help: "Whether systemd starts the broker. (default: yes if the system was booted with systemd)")
    var systemd: Bool?

    @OptionGroup var output: OutputOptions

    /// The name of the journal. No application has this id, because an application id has at least two elements.
    private static let journal = "setup"

    func run() async throws {
        let directories = BaseDirectories.ofProcess
        guard let data = directories.dataHome else {
            throw ToolFailure(
                name: "InvalidArguments",
                message: "there is no folder for data; set HOME or XDG_DATA_HOME to an absolute path", exit: .dataError)
        }
        let files = JournaledFiles(folder: "\(data)/\(DesktopRegistration.folder)")
        let changes = undo ? try revert(files) : try write(files, data)
        try output.print(
            .object([
                "files": .array(
                    changes.map { .object(["path": .string($0.path), "change": .string($0.kind.rawValue)]) })
            ]),
            text: changes.isEmpty ? nil : changes.map { "\($0.kind.rawValue) \($0.path)" }.joined(separator: "\n"))
        for change in changes where change.kind == .kept {
            try output.warn(
                "Kept", "\(change.path) stays, because it was changed after it was written; remove it yourself")
        }
        if changes.contains(where: { $0.path.hasSuffix("/systemd/user/ipc-broker.service") }) {
            ExternalProgram.run(["systemctl", "--user", "daemon-reload"])
        }
        try await reload(after: changes, in: data)
    }

    private func write(_ files: JournaledFiles, _ data: String) throws -> [FileChange] {
        let programs = try Programs.beside(try Programs.client())
        // systemd is running if this directory exists (sd_booted(3)).
        let isSystemdThere = access("/run/systemd/system", F_OK) == 0
        let planned = ProgramFiles(programs: programs, usesSystemd: systemd ?? isSystemdThere).planned(in: data)
        return try files.locked { (lock) throws(FileFailure) in
            try files.write(for: Self.journal, facts: ["Broker": programs.broker], under: lock) {
                () throws(FileFailure) in planned
            }
        }
    }

    private func revert(_ files: JournaledFiles) throws -> [FileChange] {
        // Locking would create the folder.
        guard try files.facts(of: Self.journal) != nil else { return [] }
        return try files.locked { (lock) throws(FileFailure) in try files.revert(Self.journal, under: lock) }
    }

    /// Makes the bus and a running broker read the files.
    @DBusActor
    private func reload(after changes: [FileChange], in data: String) async throws {
        do throws(IPCError) {
            let app = try await Client.connect()
            try await app.bus.reload(after: changes)
            if !changes.isEmpty { try await app.desktop.reloadClaims(startsBroker: false) }
            guard !undo, await !app.bus.isActivatable("org.swiftipc.Broker1") else { return }
        } catch {
            return try output.warn("NoBus", "\(error.message); the files take effect in the next session")
        }
        try output.warn(
            "NotActivatable",
            "the bus does not look in \(data), where the files are; start the bus with XDG_DATA_HOME=\(data), as "
                + "'ipc-client doctor' shows")
    }
}
