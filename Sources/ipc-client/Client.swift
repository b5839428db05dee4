import IPC

import class IPCDBus.DBusActor

/// What the commands have in common.
///
/// They run on the I/O thread, for a command is one call after the other and a change of threads costs more than a
/// command does; reading input and writing output there holds up nobody, since nothing comes in meanwhile.
enum Client {
    /// The name of the tool, which every command states as its “super-command”: ArgumentParser then knows that the command
    /// by itself makes no completion scripts, and does not read the command line twice more to look for a request for one.
    static let tool = "ipc-client"

    /// The id that is stated as the source, as the sample client's.
    static let id = "demo.IPCClient"

    /// The pasteboard that everybody shares and that always exists.
    static let generalPasteboard = "general"

    /// The connection of this process; begun when it is first named.
    static let connection = EarlyConnection()

    /// Connects without asking for the bus name, so any number of clients run at a time.
    ///
    /// A client makes one call and ends, so its changes carry no id unless the user gives one. If the connection is lost
    /// during a call that reads or has an id, the call is sent again. Another call fails with `storeUnavailable`.
    /// - Parameter time: how long the bus may take to answer; `nil` for the usual time.
    @DBusActor
    static func connect(as id: String = Client.id, within time: Duration? = nil) async throws(IPCError) -> Application {
        try await connection.application(id: id, within: time)
    }
}
