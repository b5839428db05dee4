internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// The properties that an application declared when it registered as a handler.
struct HandlerFacts {
    /// How many requests the application takes at once.
    var window = 1
    /// Whether deliveries may carry descriptors.
    var takesDescriptors = false
    /// Whether the application registered itself and is still running.
    var isLive = false
}

@DBusActor
final class DeliveryContext {
    let connection: Connection
    let direct: DirectConnections
    let clients: BusClients
    let table: RequestTable
    let records: RequestRecords
    let returning: ReturningHandlers
    let limits: Limits
    let facts: @DBusActor (ApplicationID) -> HandlerFacts
    /// Whether the broker owns its bus name. Handlers accept deliveries only from the owner of that name.
    private(set) var isServing = false
    private var defects: DeliveryDefects
    /// For each connection, the applications that it handles requests for or has handled requests for.
    private var handlers: [BusName: Set<ApplicationID>] = [:]

    init(
        connection: Connection, direct: DirectConnections, clients: BusClients, table: RequestTable,
        records: RequestRecords, returning: ReturningHandlers, limits: Limits,
        defects: DeliveryDefects, facts: @escaping @DBusActor (ApplicationID) -> HandlerFacts
    ) {
        (self.connection, self.clients, self.table, self.records) = (connection, clients, table, records)
        (self.direct, self.returning) = (direct, returning)
        (self.limits, self.defects, self.facts) = (limits, defects, facts)
    }

    func serve() { isServing = true }

    /// Another broker owns the name now.
    func stopServing() { isServing = false }

    func isFaulty(_ control: DeliveryControl) -> Bool { defects.show(control) }

    /// From now on, passes events of the connection `owner` to the application's ``HandlerDelivery``.
    func watch(_ application: ApplicationID, at owner: BusName) {
        if !clients.hasDeparted(owner) { handlers[owner, default: []].insert(application) }
    }

    func handlers(at owner: BusName) -> Set<ApplicationID> { handlers[owner] ?? [] }

    func takeHandlers(at owner: BusName) -> Set<ApplicationID> { handlers.removeValue(forKey: owner) ?? [] }

    /// Whether a connection has left the bus. Queries the bus unless the departure is already known.
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
    /// When ``handlers`` reaches this many entries, the entries of idle handlers are removed.
    private var nextSweep = firstSweep
    private static let firstSweep = 1_024

    init(_ context: DeliveryContext, desktop program: DesktopProgram?) {
        self.context = context
        desktop = DesktopDelivery(context, program)
        orphans = OrphanedRequests(context.records)
        context.table.deadlinePassed = { $0.deadlinePassed() }
    }

    /// Chooses the object that delivers a request, and adds the request to it.
    func enqueue(_ request: PendingRequest) throws {
        guard !isEnding else { throw RequestRecords.brokerEnded }
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

    /// Why the broker would not start a handler now, although the bus could; `nil` if the broker would start it.
    func refusal(of application: ApplicationID) -> String? { handlers[application]?.refusal }

    // MARK: Events of the bus

    func registered(_ application: ApplicationID, isOwner: Bool) {
        handlers[application]?.registered(isOwner: isOwner)
    }

    func ownerChanged(_ application: ApplicationID) { handlers[application]?.look() }

    /// Notifies all handlers, because requests for a handler that has become startable can now be delivered.
    func activatableChanged() { for handler in handlers.values { handler.handle(.activatableChanged) } }

    func connectionLeft(_ connection: BusName) {
        for application in context.takeHandlers(at: connection) {
            handlers[application]?.handle(.gone(connection.text))
        }
    }

    /// Pauses deliveries to a connection when the route to it is about to change, or resumes them afterwards.
    func routeChanged(_ connection: BusName) {
        for application in context.handlers(at: connection) { handlers[application]?.look() }
    }

    // MARK: Start and stop

    /// Starts delivering requests, beginning with those that an earlier broker left.
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

    /// Abandons all requests that have not ended. Callers can repeat them with the next broker.
    private func abandonAll() { for request in context.table.all { request.handle(.abandoned) } }
}
