import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct RequestIDs: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("The ids of the requests.", valueName: "request-id"), completion: LiveNames.requests)
    var ids: [String]

    /// Calls `body` for each id. Reports a failure, and continues with the other ids.
    /// - Throws: the first failure, at the end.
    @DBusActor
    func forEach(_ output: OutputOptions, _ body: (RequestID) async throws -> Void) async throws {
        var first: ToolFailure?
        for (place, id) in ids.enumerated() {
            let failure: ToolFailure
            do {
                try await body(try Self.checked(id))
                continue
            } catch let error as ToolFailure { failure = error } catch let error as IPCError {
                failure = ToolFailure(error)
            }
            guard failure != .outputClosed else { throw failure }
            // If only the last request fails, the tool itself reports the failure as it exits.
            if place == ids.count - 1 && first == nil { throw failure }
            if !failure.message.isEmpty {
                try output.tell(failure.name, failure.message, after: "\(Client.tool): ", id: id)
            }
            first = first ?? ToolFailure(name: failure.name, message: "", exit: failure.exit)
        }
        if let first { throw first }
    }

    /// Parses an id. The error explains where to find ids, because that is what the user needs to know.
    static func checked(_ id: String) throws(ToolFailure) -> RequestID {
        do throws(IPCError) { return try RequestID(id) } catch {
            throw ToolFailure(
                name: error.code.rawValue,
                message: "\(id.quoted) is not the id of a request; 'ipc-client request list' lists all requests",
                exit: error.exit)
        }
    }
}
