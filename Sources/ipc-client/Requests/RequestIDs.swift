import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The ids in the arguments of a command.
struct RequestIDs: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("The ids of the requests.", valueName: "request-id"), completion: LiveNames.requests)
    var ids: [String]

    /// Works on one after the other. What one of them refuses is told, and is no reason to leave out the others; the
    /// first failure is thrown at the end.
    @DBusActor
    func forEach(_ output: OutputOptions, _ body: (String) async throws -> Void) async throws {
        var first: ToolFailure?
        for (place, id) in ids.enumerated() {
            let failure: ToolFailure
            do {
                try Self.check(id)
                try await body(id)
                continue
            } catch let error as ToolFailure { failure = error } catch let error as IPCError {
                failure = ToolFailure(error)
            }
            guard failure != .outputClosed else { throw failure }
            // The last failure is told by the end of the tool if it is the only one.
            if place == ids.count - 1 && first == nil { throw failure }
            if !failure.message.isEmpty {
                try output.tell(failure.name, failure.message, after: "\(Client.tool): ", id: id)
            }
            first = first ?? ToolFailure(name: failure.name, message: "", exit: failure.exit)
        }
        if let first { throw first }
    }

    /// Refuses what is no id: whoever looks for a request wants to know where ids are, and not how one is made.
    static func check(_ id: String) throws(ToolFailure) {
        do throws(IPCError) { _ = try RequestID(id) } catch {
            let refusal = error.ipcError
            throw ToolFailure(
                name: refusal.code.rawValue,
                message: "\(id.quoted) is no id of a request; 'ipc-client requests' lists those there are",
                exit: refusal.code.exit)
        }
    }
}
