import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

typealias DBusActor = IPCDBus.DBusActor

/// A command that runs on the I/O thread. It makes one call at a time, so switching threads would cost more than the
/// command itself. Blocking the I/O thread to read or write files is safe, because no message arrives in the meantime.
protocol ClientCommand: ToolCommand {
    /// The names on the command line that may be misspelled.
    var statedNames: [StatedName] { get }

    @DBusActor
    func run() async throws
}

extension ClientCommand {
    var statedNames: [StatedName] { [] }

    func advised(_ failure: ToolFailure) async -> ToolFailure {
        var failure = failure
        for name in statedNames { failure = await name.advised(failure) }
        return failure
    }
}

enum Client {
    static let tool = "ipc-client"

    /// The default source of requests: the application id of the sample client.
    static let id = "demo.IPCClient"

    /// The shared pasteboard, which always exists.
    static let generalPasteboard = PasteboardName.general.text

    /// The connection of this process, opened on first use.
    static let connection = EarlyConnection()

    /// Connects without requesting a bus name, so that several clients can run at once. A client makes one call and
    /// exits, so a changing call has an id only if the user gives one. A reading call, or a call with an id, is sent
    /// again if the connection is lost; any other call fails with `storeUnavailable`.
    /// - Parameters:
    ///   - time: how long the bus may take to answer; `nil` for the default.
    ///   - deadline: when all calls to the broker end; `nil` if each call has its own time-out.
    @DBusActor
    static func connect(
        as id: String = Client.id, within time: Duration? = nil, until deadline: ContinuousClock.Instant? = nil
    ) async throws(IPCError) -> Application {
        try await connection.application(id: ApplicationID(id), within: time, until: deadline)
    }
}

extension CommandConfiguration {
    /// Creates the configuration of a command of this tool. Because the tool is set as its “super-command”,
    /// ArgumentParser knows that the command cannot generate completion scripts, and does not parse the command line
    /// two more times to look for the options that request one.
    init(command name: String, abstract: String, discussion: String) {
        self.init(commandName: name, _superCommandName: Client.tool, abstract: abstract, discussion: discussion)
    }

    /// Creates the configuration of a group such as `board`, which lists its commands if none is given.
    init(
        commands name: String, abstract: String, discussion: String, subcommands: [any ParsableCommand.Type]
    ) {
        self.init(commandName: name, abstract: abstract, discussion: discussion, subcommands: subcommands)
    }
}

extension Option {
    /// An option for a whole number. A word such as “-1” is taken as the option's value, so that the error message says
    /// that this number is invalid.
    init<Number>(number help: String) where Value == Number?, Number: FixedWidthInteger & UnsignedInteger & Sendable {
        self.init(
            parsing: .unconditional, help: ArgumentHelp(help, valueName: "n"), transform: Quantity.number)
    }
}

extension OutputOptions {
    /// Writes rows: with `--json`, an object for each; otherwise one table, or nothing if there are no rows.
    func printRows(
        _ objects: @autoclosure () -> [JSONValue], text: (_ isAligned: Bool) -> String
    ) throws(ToolFailure) {
        guard !json else {
            for object in objects() { try write(object) }
            return
        }
        let text = text(OutputStream.output.isTerminal)
        if !text.isEmpty { try OutputStream.output.writeLine(text) }
    }
}
