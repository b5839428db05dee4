import ArgumentParser
import IPCModel
import IPCTools

@main
struct IPCClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipc-client",
        abstract: "Send URLs with payloads to the programs that handle them, and manage schemes and pasteboards.",
        discussion: """
            EXIT CODES
              0       done: handled, delivered to the desktop, or on disk with --queue
              1, 2    the handler declined; the request was cancelled
              64-66   wrong usage; wrong input; no such pasteboard, item, request or file
              68, 69  no application handles the scheme; handler, broker or bus is absent
              70      the handler failed
              73-75   the id is in use; disk full or failing; try again (time-out, limit)
              77      not allowed

            EXAMPLES
              ipc-client send hello
              date | ipc-client send
              ipc-client call IPCServer.demo:question
              ipc-client scheme resolve IPCServer.demo:hello
              ipc-client get demo.IPCClient
            """,
        version: ProductVersion.text,
        groupedSubcommands: [
            CommandGroup(name: "Opening URLs", subcommands: [Send.self, Open.self, Call.self]),
            CommandGroup(name: "Handling URLs", subcommands: [Handle.self, Listen.self]),
            CommandGroup(
                name: "Pasteboard content",
                subcommands: [Copy.self, Paste.self, SetBoard.self, Get.self, Pick.self, Watch.self]),
            CommandGroup(
                name: "Management",
                subcommands: [BoardCommand.self, RequestCommand.self, SchemeCommand.self, BrokerCommand.self]),
            CommandGroup(name: "Installation", subcommands: [Doctor.self, Setup.self]),
        ])

    static func main() { ToolProcess.run(Self.self, plain: [Send.self]) { _ = Client.connection } }
}
