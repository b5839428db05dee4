internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// The properties that an application declared when it registered as a handler.
struct HandlerFacts {
    /// How many requests it takes at once.
    var window = 1
    /// Whether deliveries may carry descriptors.
    var takesDescriptors = false
    /// Whether it registered itself and is running.
    var isLive = false
}

/// The objects and values that all deliveries need.
@DBusActor
final class DeliveryContext {
    let connection: Connection
    let direct: DirectConnections
    let clients: BusClients
    let table: RequestTable
    let records: RequestRecords
    let limits: Limits
    let facts: @DBusActor (ApplicationID) -> HandlerFacts
    /// Whether the broker owns its bus name. Handlers accept calls from no other sender.
    private(set) var isServing = false
    private var defects: DeliveryDefects
    /// The handlers that each connection is now, or has been since it joined the bus.
    private var handlers: [BusName: Set<ApplicationID>] = [:]

    init(
        connection: Connection, direct: DirectConnections, clients: BusClients, table: RequestTable,
        records: RequestRecords, limits: Limits,
        defects: DeliveryDefects, facts: @escaping @DBusActor (ApplicationID) -> HandlerFacts
    ) {
        (self.connection, self.clients, self.table, self.records) = (connection, clients, table, records)
        self.direct = direct
        (self.limits, self.defects, self.facts) = (limits, defects, facts)
    }

    func serve() { isServing = true }

    func isFaulty(_ control: DeliveryControl) -> Bool { defects.show(control) }

    /// From now on, passes the events of a connection to a handler.
    func watch(_ application: ApplicationID, at owner: BusName) {
        if !clients.hasDeparted(owner) { handlers[owner, default: []].insert(application) }
    }

    func handlers(at owner: BusName) -> Set<ApplicationID> { handlers[owner] ?? [] }

    func takeHandlers(at owner: BusName) -> Set<ApplicationID> { handlers.removeValue(forKey: owner) ?? [] }

    /// Whether a connection has left the bus. Queries the bus if that is not known.
    func hasLeft(_ owner: BusName) async -> Bool {
        if clients.hasDeparted(owner) { return true }
        return (try? await connection.owner(of: owner)) == .some(nil)
    }
}

@DBusActor
final class Deliveries {
    let context: DeliveryContext
    private var handlers: [ApplicationID: HandlerDelivery] = [:]
    private let desktop: DesktopDelivery
    private let orphans: OrphanedRequests
    private var isEnding = false
    /// The number of handlers at which idle ones are removed.
    private var nextSweep = firstSweep
    private static let firstSweep = 1_024

    init(_ context: DeliveryContext, desktop program: DesktopProgram?) {
        self.context = context
        desktop = DesktopDelivery(context, program)
        orphans = OrphanedRequests(context.records)
        context.table.deadlinePassed = { $0.deadlinePassed() }
    }

    /// Gives a request its handler, and adds it to the requests for that handler.
    func enqueue(_ request: PendingRequest) throws {
        guard !isEnding else { throw StoreError.unavailable }
        let delivery = try delivery(of: request)
        request.delivery = delivery
        context.table.insert(request)
        delivery.add(request)
    }

    private func delivery(of request: PendingRequest) throws -> any RequestDelivery {
        if request.life.isOrphan { return orphans }
        if request.desktop != nil { return desktop }
        if let handler = handlers[request.application] { return handler }
        if handlers.count >= nextSweep {
            handlers = handlers.filter { !$0.value.isIdle }
            nextSweep = max(Self.firstSweep, handlers.count * 2)
        }
        let handler = try HandlerDelivery(request.application, context)
        handlers[request.application] = handler
        return handler
    }

    /// Removes a request that could not be accepted.
    func withdraw(_ request: PendingRequest) {
        request.delivery?.remove(request)
        request.handle(.withdrawn)
        context.table.remove(request)
    }

    /// Why a handler is not started now, although the bus could start it; `nil` if it would be started.
    func refusal(of application: ApplicationID) -> String? { handlers[application]?.refusal }

    // MARK: Events of the bus

    func registered(_ application: ApplicationID, isOwner: Bool) {
        handlers[application]?.registered(isOwner: isOwner)
    }

    func ownerChanged(_ application: ApplicationID) { handlers[application]?.look() }

    /// Delivers requests whose handler has become startable.
    func activatableChanged() { for handler in handlers.values { handler.handle(.activatableChanged) } }

    func connectionLeft(_ connection: BusName) {
        for application in context.takeHandlers(at: connection) {
            handlers[application]?.handle(.gone(connection.text))
        }
    }

    /// Handles a route to a connection that is about to change, or has changed.
    func routeChanged(_ connection: BusName) {
        for application in context.handlers(at: connection) { handlers[application]?.look() }
    }

    // MARK: Start and stop

    /// Starts to deliver, first the requests that an earlier broker left.
    func begin() {
        context.serve()
        for handler in handlers.values {
            handler.look()
            handler.handle(.opened)
        }
    }

    /// Stops delivering, and waits a limited time for outstanding answers.
    func finish(within patience: Duration) async {
        isEnding = true
        for handler in handlers.values { handler.handle(.stopped) }
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [weak self] in self?.abandonAll() }
        await context.table.quiet()
        timer.cancel()
        abandonAll()
    }

    /// Abandons all requests without an outcome. Callers that wait for one of them will ask the next broker.
    private func abandonAll() { for request in context.table.all { request.handle(.abandoned) } }
}
