internal import IPCDBus
internal import IPCModel

/// Brings requests to one kind of handler: it performs what the ``RequestLife`` of each of them decides.
@DBusActor
protocol RequestDelivery: AnyObject {
    var isStarting: Bool { get }

    /// Takes in a request that arrives, or that an earlier broker left.
    func add(_ request: PendingRequest)

    /// Removes a request that was not accepted.
    func remove(_ request: PendingRequest)

    func perform(_ action: RequestLife.Action, on request: PendingRequest)

    /// Runs after all actions of an event.
    func proceed()
}

extension RequestDelivery {
    var isStarting: Bool { false }
    func add(_ request: PendingRequest) {}
    func remove(_ request: PendingRequest) {}
    func proceed() {}

    func handle(_ event: RequestLife.Event, of request: PendingRequest) {
        for action in request.life.handle(event) { perform(action, on: request) }
        proceed()
    }
}

extension PendingRequest {
    func handle(_ event: RequestLife.Event) { delivery?.handle(event, of: self) }

    /// Handles the end of its time.
    func deadlinePassed() { handle(.timePassed(isHandlerStarting: delivery?.isStarting ?? false)) }
}

/// The requests of an earlier broker whose senders have not repeated them: they are not delivered.
@DBusActor
final class OrphanedRequests: RequestDelivery {
    private let records: RequestRecords

    init(_ records: RequestRecords) { self.records = records }

    func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        if case .end(let end) = action { records.ended(request, end) }
    }
}
