import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

typealias DBusActor = IPCDBus.DBusActor

/// A command that runs on the I/O thread. It makes one call after the other, and a change of threads costs more than a
/// command. Nothing arrives while it reads its input or writes its output there.
protocol ClientCommand: ToolCommand {
    @DBusActor
    func run() async throws
}

enum Client {
    static let tool = "ipc-client"

    /// The application id that requests state as their source: the id of the sample client.
    static let id = "demo.IPCClient"

    /// The shared pasteboard, which always exists.
    static let generalPasteboard = PasteboardName.general.text

    /// The connection of this process. It begins at the first use.
    static let connection = EarlyConnection()

    /// Connects without asking for the bus name, so that several clients can run at a time.
    ///
    /// A client makes one call and ends, so its changes have no id unless the user gives one. If the connection is lost
    /// during a call that reads or has an id, the call is sent again. Any other call fails with `storeUnavailable`.
    /// - Parameter time: how long the bus may take to answer; `nil` for the usual time.
    @DBusActor
    static func connect(as id: String = Client.id, within time: Duration? = nil) async throws(IPCError) -> Application {
        try await connection.application(id: ApplicationID(id), within: time)
    }
}

extension CommandConfiguration {
    /// Creates the configuration of a command of this tool. With the tool as “super-command”, ArgumentParser knows that
    /// the command generates no completion scripts. Otherwise it would parse the command line twice more to look for
    /// such a request.
    init(command name: String, abstract: String, discussion: String) {
        self.init(commandName: name, _superCommandName: Client.tool, abstract: abstract, discussion: discussion)
    }

    /// Creates the configuration of a noun. Without a verb, it lists its commands.
    init(
        commands name: String, abstract: String, discussion: String, subcommands: [any ParsableCommand.Type]
    ) {
        self.init(commandName: name, abstract: abstract, discussion: discussion, subcommands: subcommands)
    }
}

extension Option {
    /// An option for a whole number. A text such as “-1” counts as its value, so that the error is about the number.
    init<Number>(number help: String) where Value == Number?, Number: FixedWidthInteger & UnsignedInteger & Sendable {
        self.init(
            parsing: .unconditional, help: ArgumentHelp(help, valueName: "n"), transform: Quantity.number)
    }
}

extension OutputOptions {
    /// Writes rows: one object each, or a table as one text. Writes nothing for an empty table.
    func printRows(
        _ objects: @autoclosure () -> [JSONValue], text: (_ isAligned: Bool) -> String
    ) throws(ToolFailure) {
        guard !json else {
            for object in objects() { try OutputStream.output.writeLine(object.text) }
            return
        }
        let text = text(OutputStream.output.isTerminal)
        if !text.isEmpty { try OutputStream.output.writeLine(text) }
    }
}
