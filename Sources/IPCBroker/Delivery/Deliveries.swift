internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// What an application said of itself as a handler.
struct HandlerFacts {
    /// How many requests it takes at a time.
    var window = 1
    /// Whether deliveries may carry descriptors.
    var takesDescriptors = false
    /// Whether it said so itself, and runs.
    var isLive = false
}

/// What all deliveries need.
@DBusActor
final class DeliverySurroundings {
    let connection: Connection
    let direct: DirectConnections
    let clients: BusClients
    let table: RequestTable
    let records: RequestRecords
    let limits: Limits
    let facts: @DBusActor (ApplicationID) -> HandlerFacts
    /// Whether the broker owns its name: handlers take calls from nobody else.
    private(set) var isServing = false
    private var defects: DeliveryDefects
    /// Which handlers have sent something to a connection that is on the bus.
    var uses: [BusName: Set<ApplicationID>] = [:]
    /// Which handlers wait until the way to a connection is free.
    var heldUp: [BusName: Set<ApplicationID>] = [:]

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

    /// Whether a deliberate defect shows now.
    func isFaulty(_ control: DeliveryControl) -> Bool { defects.show(control) }

    /// Whether nothing may be sent to a handler's connection now; it is told when that has changed.
    func isHeldUp(_ application: ApplicationID, _ owner: BusName) -> Bool {
        guard direct.isSwitching(owner) else { return false }
        heldUp[owner, default: []].insert(application)
        return true
    }

    /// Whether a connection is not on the bus any more; asks the bus where it is not known.
    func hasLeft(_ owner: BusName) async -> Bool {
        if clients.hasDeparted(owner) { return true }
        return (try? await connection.owner(of: owner)) == .some(nil)
    }
}

/// The deliveries of all handlers.
@DBusActor
final class Deliveries {
    let surroundings: DeliverySurroundings
    private var handlers: [ApplicationID: HandlerDelivery] = [:]
    private let desktop: DesktopDelivery
    private var isEnding = false

    init(_ surroundings: DeliverySurroundings, desktop program: DesktopProgram?) {
        self.surroundings = surroundings
        desktop = DesktopDelivery(surroundings, program)
        surroundings.table.deadlinePassed = { [weak self] in self?.deadlinePassed($0) }
    }

    /// Handlers beyond so many are looked through for those with nothing to do.
    private static let manyHandlers = 1_024
    private var nextLook = manyHandlers

    /// Gives a request its place in its line.
    func enqueue(_ request: PendingRequest) throws {
        guard !isEnding else { throw StoreError.unavailable }
        guard request.desktop == nil else {
            surroundings.table.insert(request)
            return desktop.enqueue(request)
        }
        let handler = try handler(request.application)
        surroundings.table.insert(request)
        handler.enqueue(request)
    }

    /// Lets a request be delivered; nothing where it has ended by now.
    func ready(_ request: PendingRequest) {
        if request.desktop != nil { return desktop.ready(request) }
        handlers[request.application]?.ready(request)
    }

    /// Takes out a request that could not be accepted.
    func withdraw(_ request: PendingRequest) {
        if request.desktop != nil {
            desktop.withdraw(request)
        } else {
            handlers[request.application]?.withdraw(request)
        }
        surroundings.table.remove(request)
    }

    func callOff(_ request: PendingRequest, as end: RequestEnd) {
        if request.life.isOrphan { return handleOrphan(request, .calledOff(end)) }
        if request.desktop != nil { return desktop.callOff(request, as: end) }
        handlers[request.application]?.callOff(request, as: end)
    }

    /// Why a handler is not started now, although the bus could; nil where it would be.
    func refusal(of application: ApplicationID) -> String? {
        handlers[application]?.refusal(at: SystemClock.uptimeMilliseconds())
    }

    private func handler(_ application: ApplicationID) throws -> HandlerDelivery {
        if let handler = handlers[application] { return handler }
        if handlers.count >= nextLook {
            handlers = handlers.filter { !$0.value.isIdle }
            nextLook = max(Self.manyHandlers, handlers.count * 2)
        }
        let handler = try HandlerDelivery(application, surroundings)
        handlers[application] = handler
        return handler
    }

    private func deadlinePassed(_ request: PendingRequest) {
        if request.life.isOrphan { return handleOrphan(request, .timePassed(isHandlerStarting: false)) }
        if request.desktop != nil { return desktop.deadlinePassed(request) }
        handlers[request.application]?.deadlinePassed(request)
    }

    // MARK: What happens on the bus

    func registered(_ application: ApplicationID, isOwner: Bool) {
        handlers[application]?.registered(isOwner: isOwner)
    }

    func ownerChanged(_ application: ApplicationID) { handlers[application]?.ownerChanged() }

    /// What waits for a program that the bus could not start may be delivered now.
    func activatableChanged() { for handler in handlers.values { handler.activatableChanged() } }

    func connectionLeft(_ connection: BusName) {
        for application in surroundings.uses.removeValue(forKey: connection) ?? [] {
            handlers[application]?.connectionLeft(connection)
        }
    }

    /// The way to a connection is free, or another one.
    func routeChanged(_ owner: BusName) {
        guard !surroundings.direct.isSwitching(owner) else { return }
        for application in surroundings.heldUp.removeValue(forKey: owner) ?? [] { handlers[application]?.deliver() }
    }

    /// Begins to deliver what an earlier broker left.
    func begin() {
        surroundings.serve()
        for handler in handlers.values { handler.deliver() }
    }

    /// Ends a request whose sender has not come back.
    private func handleOrphan(_ request: PendingRequest, _ event: RequestLife.Event) {
        for case .end(let end) in request.life.handle(event) { surroundings.records.ended(request, end) }
    }

    // MARK: The end of the broker

    /// Delivers nothing more; who waits for an answer that is due gets it for a while, and is then let go.
    func finish(within patience: Duration) async {
        isEnding = true
        for handler in handlers.values { handler.stop() }
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [weak self] in self?.abandonAll() }
        await surroundings.table.quiet()
        timer.cancel()
        abandonAll()
        // Who waits for the end of something that goes on with the next broker asks that one.
        for request in surroundings.table.all where request.life.isOrphan { handleOrphan(request, .abandoned) }
    }

    private func abandonAll() {
        for handler in handlers.values { handler.abandonAll() }
        desktop.abandonAll()
    }
}
