internal import IPCDBus
internal import IPCModel

/// Finds the connection of a handler, and has the bus start it first if it does not run: one start at a time for each.
///
/// The start is asked for by itself and the request then sent to the unique name, because a call that starts its
/// receiver would be delivered by the bus even after we have reported that the start failed.
@DBusActor
final class Activation {
    struct Failure: Error {
        let errorName: String?
        let message: String
    }

    private let connection: Connection
    private let clients: BusClients
    private let timeout: Duration
    private var starts: [ApplicationID: Task<Result<BusName, Failure>, Never>] = [:]

    init(connection: Connection, clients: BusClients, timeout: Duration) {
        self.connection = connection
        self.clients = clients
        self.timeout = timeout
    }

    func owner(of application: ApplicationID) async throws(Failure) -> BusName {
        if clients.isRunning(application), let owner = try? await clients.owner(of: application) { return owner }
        let start = starts[application] ?? begin(application)
        return try await start.value.get()
    }

    /// The connection turned out to be gone.
    func left(_ application: ApplicationID, _ owner: BusName) { clients.forget(application, owner: owner) }

    private func begin(_ application: ApplicationID) -> Task<Result<BusName, Failure>, Never> {
        let start = Task { @DBusActor in
            let result = await ask(for: application)
            starts[application] = nil
            return result
        }
        starts[application] = start
        return start
    }

    private func ask(for application: ApplicationID) async -> Result<BusName, Failure> {
        do {
            let name = try BusName(application.text)
            try await connection.startService(name, timeout: timeout)
            if let owner = try await connection.owner(of: name) { return .success(owner) }
            return .failure(Failure(errorName: nil, message: "\(application) was started and ended at once"))
        } catch CallError.timedOut {
            return .failure(
                Failure(
                    errorName: nil,
                    message: "\(application) was started, but did not own its bus name within \(timeout)"))
        } catch CallError.remote(ErrorName.serviceUnknown.text, _) {
            return .failure(
                Failure(
                    errorName: ErrorName.serviceUnknown.text,
                    message:
                        "\(application) ended before the request was delivered, and the bus has no service file to "
                        + "start it again"))
        } catch CallError.remote(let name, let message) {
            return .failure(Failure(errorName: name, message: "\(application) cannot be started: \(message)"))
        } catch {
            return .failure(Failure(errorName: nil, message: "\(application) cannot be started: \(error)"))
        }
    }
}
