import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Register: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        _superCommandName: Client.tool,
        abstract: "Store a claim of an application to URL schemes.",
        discussion: """
            The claim outlives every process; the application is started by the bus when a URL comes, if a D-Bus \
            service file names its id. A claim that is not persistent ends with the process that makes it, which would \
            be this command: run 'ipc-server' or the application itself for that. Claims of others to the same schemes \
            are told on standard error, with what they mean.

            Content above 16 MiB can be sent, and queued, only to an application that takes it as descriptors: one that \
            uses the library of these tools does, and so do ipc-server and 'ipc-client listen'. Say so with --fd.

            EXAMPLES
              ipc-client register IPCServer.demo --application demo.IPCServer --persistent --fd
              ipc-client register http https --application com.example.Browser --persistent --allow-reserved
            """)

    @Argument(help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"))
    var schemes: [String]

    @Option(help: ArgumentHelp("Who claims them.", valueName: "id"))
    var application: String

    @Flag(help: "Store the claim; it cannot be made otherwise from here.")
    var persistent = false

    @Flag(help: "Accept schemes that belong to the system, such as http and mailto.")
    var allowReserved = false

    @Flag(
        help: """
            The application takes large payloads as descriptors, as all programs of this library do.
            """)
    var fd = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard persistent else {
            throw ValidationError(
                "A claim without --persistent would end with this command; add --persistent, or start the application.")
        }
    }

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        let conflicts = try await app.register(
            schemes, for: application, persistent: true, allowReserved: allowReserved, takesDescriptors: fd)
        guard !output.json else { return try OutputStream.output.writeLine(json(conflicts).text) }
        for conflict in conflicts {
            try OutputStream.error.writeLine("ipc-client: stored; " + conflict.sentence(for: application).onOneLine)
        }
    }

    private func json(_ conflicts: [Handler]) -> JSONValue {
        .object([
            "application": .string(application),
            "schemes": .array(schemes.map { .string($0) }),
            "fd": fd ? .boolean(true) : nil,
            "conflicts": .array(conflicts.map(JSONValue.handler)),
        ])
    }
}
