internal import IPCDBus
internal import IPCModel

/// Delivers requests to one kind of handler, by performing the actions that each request's ``RequestLife`` returns.
@DBusActor
protocol RequestDelivery: AnyObject {
    var isStarting: Bool { get }

    /// Adds a new request, or one that an earlier broker left.
    func add(_ request: PendingRequest)

    /// Removes a request that was not accepted.
    func remove(_ request: PendingRequest)

    func perform(_ action: RequestLife.Action, on request: PendingRequest)

    /// Runs once all actions of an event have been performed.
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

    func deadlinePassed() { handle(.timePassed(isHandlerStarting: delivery?.isStarting ?? false)) }
}

/// Holds requests that an earlier broker left and whose senders have not repeated them yet. Does not deliver them.
@DBusActor
final class OrphanedRequests: RequestDelivery {
    private let records: RequestRecords

    init(_ records: RequestRecords) { self.records = records }

    func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        if case .end(let end) = action { records.ended(request, end) }
    }
}
