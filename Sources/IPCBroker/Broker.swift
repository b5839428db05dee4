internal import CLinux
internal import Glibc
package import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
internal import Logging
private import Synchronization

/// The broker. A single call to ``run(_:reading:log:signals:)`` starts it, serves its clients and shuts it down.
@DBusActor
package final class Broker {
    private let configuration: BrokerConfiguration
    private let log: LogOutput
    private let logger: Logger
    private let reload: Reload
    private let reader: BrokerStateReader
    private let manager: NotifySocket?
    private let status: ServiceStatus?
    private let idle: IdleExit
    private let store: Store
    private let connection: Connection
    private let clients: BusClients
    private let schemes: SchemesService
    private let records: RequestRecords
    private let deliveries: Deliveries
    private let urls: URLsService
    private let pasteboards: PasteboardsService
    private let promises: PromiseFetcher
    private let expiry: ExpiryClock
    private let arrivals: ArrivalOrder
    private let descriptors: DescriptorBudget
    private let room: AnswerRoom
    private let direct: DirectConnections
    private let watchers: ChangeWatchers
    private let announcer: ChangeAnnouncer
    private let storeEvents: StoreEvents
    private var nameWatch: NameWatch?

    /// Why a broker refused to start, or stopped on its own.
    package enum End: Error, Sendable {
        case alreadyRunning(owner: String)
        /// The broker that serves the bus has this store, and the one that is to replace it another.
        case otherStore(served: String, own: String)
        /// The broker that serves the bus has not made room for this one, for this reason.
        case notReplaced(String)
        /// Another broker has taken the place of this one.
        case replaced
        /// The message bus cannot be reached, for this reason.
        case noBus(String)
        case busLost
        /// The store failed, so the broker can acknowledge nothing more (I3).
        case storeFailed(String)
        /// The bus is the system bus, where the broker would serve all users of the machine.
        case systemBus

        /// Why a broker ends before it is ready if another connection owns its name. One that has taken the name from a
        /// running broker has itself been replaced.
        init(owner: BusName?, replaces: Bool) {
            self = replaces ? .replaced : .alreadyRunning(owner: owner?.text ?? "another connection")
        }
    }

    /// Serves until a signal stops the broker, the bus is lost or the store fails. Then answers callers and checkpoints
    /// the store.
    /// - Parameter read: reads the configuration again.
    /// - Throws: ``End`` if the broker refuses to start or stops on its own; other errors of the store or the bus.
    nonisolated static func run(
        _ configuration: BrokerConfiguration, reading read: @escaping @Sendable () throws -> BrokerConfiguration,
        log: LogOutput, signals: AsyncStream<ServiceSignal>
    ) async throws {
        let places = clinux_raise_descriptor_limit()
        // The files must be usable by this user, whatever the umask is. Others are kept out by the mode of each file.
        umask(umask(0o077) & ~0o700)
        // The broker keeps running if the reader of its log closes the pipe.
        signal(SIGPIPE, SIG_IGN)
        // Reaching the file size limit (setrlimit(2)) is a failed write, and must not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        log.setLevel(configuration.logLevel)
        if let whenQuiet = configuration.whenQuiet { await DBusActor.whenQuiet(whenQuiet) }
        do {
            let broker = try await Broker(
                configuration.fitted(to: places), reading: { try read().fitted(to: places) }, log: log)
            try await broker.serve(signals)
        } catch CallError.disconnected {
            // The bus ended while the broker was starting.
            throw End.busLost
        }
    }

    private init(
        _ configuration: BrokerConfiguration, reading read: @escaping @Sendable () throws -> BrokerConfiguration,
        log: LogOutput
    ) async throws {
        let logger = log.logger
        (self.configuration, self.log, self.logger) = (configuration, log, logger)
        let limits = configuration.limits
        guard (try? configuration.bus.isSystemBus) != true else { throw End.systemBus }
        storeEvents = StoreEvents()
        try await Self.refuseBesideAnother(configuration)
        let arriving = ArrivingBytes(most: Int(clamping: limits.arrivingBytes))
        let bus: String
        (connection, bus, clients, store) = try await Self.connect(configuration, storeEvents, arriving, logger)
        watchers = ChangeWatchers(
            limits: limits, visibility: { [clients] in clients.knownVisibility(of: $0) ?? .sandbox(nil) },
            hasDeparted: { [clients] in clients.hasDeparted($0) })
        announcer = ChangeAnnouncer(connection: connection, store: store, limits: limits)
        expiry = ExpiryClock(store: store, logger: logger)
        arrivals = ArrivalOrder(limits: limits)
        descriptors = DescriptorBudget(limits: limits) { [store] in store.statistics.snapshot.memoryFiles }
        room = AnswerRoom(limits: limits)
        direct = DirectConnections(
            bus: connection, clients: clients, descriptors: descriptors,
            directory: RuntimeDirectory(store: configuration.store, environment: configuration.environment),
            limits: limits, arriving: arriving)
        promises = PromiseFetcher(store: store, connection: connection, bus: bus, limits: limits)
        schemes = SchemesService(
            store: store, clients: clients, connection: connection,
            policies: AccessPolicies(store: store, limits: limits, logger: logger), limits: limits,
            installed: InstalledClaims(environment: configuration.environment, logger: logger),
            desktop: configuration.desktopProgram.flatMap {
                DesktopProgram($0, environment: configuration.environment, limits: limits, logger: logger)
            }, identify: { [promises] in promises.writer($0) })
        let table = RequestTable(limits: limits)
        records = RequestRecords(
            store: store, connection: connection, clients: clients, table: table, limits: limits, logger: logger)
        deliveries = Deliveries(
            DeliveryContext(
                connection: connection, direct: direct, clients: clients, table: table, records: records,
                returning: schemes.returning, limits: limits, defects: try DeliveryDefects(configuration)
            ) { [schemes] in schemes.facts(of: $0) }, desktop: schemes.desktop)
        let acceptance = RequestAcceptance(
            store: store, deliveries: deliveries, table: table, promises: promises, expiry: expiry, limits: limits)
        urls = URLsService(
            store: store, schemes: schemes, clients: clients, arrivals: arrivals, table: table, deliveries: deliveries,
            acceptance: acceptance, descriptors: descriptors, room: room, limits: limits)
        pasteboards = PasteboardsService(
            store: store, connection: connection, clients: clients, watchers: watchers, arrivals: arrivals,
            promises: promises, room: room, limits: limits)
        schemes.desktop?.isEnabled = configuration.opensOnDesktop
        reader = BrokerStateReader(
            connection: connection, store: store, clients: clients, schemes: schemes, table: table, watchers: watchers,
            descriptors: descriptors, direct: direct, promises: promises)
        idle = IdleExit { [reader] in await reader.holdsNothing(logger) }
        reload = Reload(configuration, read, schemes, idle, log)
        manager = NotifySocket(environment: configuration.environment)
        status = manager.map { [reader] in ServiceStatus($0, reader) }
    }

    /// Opens the bus connection and the store at the same time, because each takes some milliseconds.
    /// - Returns: the connection, the id of the bus, the programs on it, and the store.
    private static func connect(
        _ configuration: BrokerConfiguration, _ events: StoreEvents, _ arriving: ArrivingBytes, _ logger: Logger
    ) async throws -> (Connection, String, BusClients, Store) {
        let storeConfiguration = try configuration.storeConfiguration(events)
        func open() -> Task<Store, any Error> {
            DBusActor.task { try await Background.run { Result { try Store.open(storeConfiguration) } }.get() }
        }
        // A broker that is to be replaced has the store until it has left the bus.
        var opening = configuration.replaces ? nil : open()
        do {
            let connection = try await connect(configuration.bus, objects(configuration.limits, logger))
            if configuration.replaces { try await Replacement.takeOver(connection, store: configuration.store) }
            let opened = opening ?? open()
            opening = opened
            let clients = BusClients(connection)
            connection.boundUnreadAnswers { [clients] in !clients.hasDeparted($0) }
            connection.bound(arriving, messageBytes: configuration.limits.longestMessage)
            try await clients.start()
            let bus = try await connection.busID()
            let store = try await store(opened, storeConfiguration, connection, replaces: configuration.replaces)
            report(store.report, to: logger)
            return (connection, bus, clients, store)
        } catch {
            try? await opening?.value.close()
            throw error
        }
    }

    /// How long a broker that exits because no program uses it may take to close its store.
    private static let closingTime = Duration.seconds(5)

    /// Waits for the store. A broker that no program uses releases its name before it closes its store, so a call in
    /// between starts the next broker, which waits here. If another broker has the name, this one ends at once.
    private static func store(
        _ opening: Task<Store, any Error>, _ configuration: StoreConfiguration, _ connection: Connection,
        replaces: Bool
    ) async throws -> Store {
        do { return try await opening.value } catch let error as StoreError {
            guard case .inUse = error else { throw error }
            try await refuseAnotherOwner(connection, replaces: replaces, error)
            var waiting = configuration
            waiting.waitsForLock = true
            let opened = await Background.run(until: .now + closingTime) { [waiting] in
                Result { try Store.open(waiting) }
            }
            guard let opened else {
                // Another broker may have taken the name and the store in the meantime.
                try await refuseAnotherOwner(connection, replaces: replaces, error)
                throw error
            }
            return try opened.get()
        }
    }

    private static func refuseAnotherOwner(
        _ connection: Connection, replaces: Bool, _ error: StoreError
    ) async throws {
        guard let owner = try await connection.owner(of: Broker1.busName), owner != connection.uniqueName else {
            return
        }
        if replaces { throw End.replaced }
        throw error
    }

    /// How many calls of one caller are in progress at a time (I15), and the size of their messages: enough for the store
    /// to flush several of them together, and few enough that others do not wait long behind them.
    private static let (callsTogether, bytesTogether) = (32, 1 << 20)

    private static func objects(_ limits: Limits, _ logger: Logger) -> ObjectServer {
        let objects = ObjectServer(logger: logger)
        objects.hold()
        objects.invalidArguments = IPCError.Code.invalidArguments.errorName
        objects.translate = { translate($0) }
        objects.bounds = WireBounds(limits)
        objects.refusal = { limits.exceeded(by: $0).errorReply }
        objects.turns.mostTogether = callsTogether
        objects.turns.mostBytesTogether = bytesTogether
        return objects
    }

    /// Throws if there is no store yet but another broker serves this bus, so that no second store is created.
    private static func refuseBesideAnother(_ configuration: BrokerConfiguration) async throws {
        guard !configuration.replaces, access(configuration.store, F_OK) != 0 else { return }
        let connection = try await connect(configuration.bus, ObjectServer())
        let owner = try? await connection.owner(of: Broker1.busName)
        await connection.closeAfterFlush()
        if let owner { throw End.alreadyRunning(owner: owner.text) }
    }

    private static func connect(_ address: BusAddress, _ objects: ObjectServer) async throws -> Connection {
        do throws(ConnectionError) { return try await Connection.open(address, objects: objects) } catch {
            throw End.noBus(error.description)
        }
    }

    private static func report(_ report: OpeningReport, to logger: Logger) {
        if !report.wasClean { logger.notice("the last run did not shut down cleanly; the store was checked") }
        guard let place = report.quarantine else { return }
        logger.error(
            "the store was damaged and moved aside; all content with valid checksums was kept",
            metadata: [
                "kept-at": "\(place)", "rows": "\(report.salvaged?.rows ?? 0)", "check": "\(report.damage ?? "")",
            ])
    }

    /// Exports the objects, loads the state, takes the bus name, and then handles calls.
    private func start(_ replaced: @escaping @DBusActor () -> Void) async throws {
        let pasteboard = PasteboardService(
            store: store, clients: clients, arrivals: arrivals, promises: promises, expiry: expiry,
            descriptors: descriptors, room: room, limits: configuration.limits)
        let broker = BrokerService(configuration: configuration, reader: reader)
        connection.objects.export(
            [
                broker.exported, schemes.exported, urls.exported, pasteboards.exported,
                SimpleService(urls: urls, pasteboards: pasteboard).exported,
            ], at: Broker1.path)
        connection.objects.export([pasteboards.objectManager], at: Pasteboards1.root)
        connection.objects.export(pasteboard.exported, below: Pasteboards1.root)
        follow(clients)
        storeEvents.changed = { [weak self] in self?.changed($0) }
        try await schemes.load()
        try await urls.recover()
        guard try await connection.requestName(Broker1.busName, flags: Replacement.flags).isOwner else {
            throw End(
                owner: try await connection.owner(of: Broker1.busName), replaces: configuration.replaces)
        }
        nameWatch = try await Replacement.watch(connection, lost: replaced)
        connection.objects.serve()
        deliveries.begin()
        urls.table.changed = { [weak self] in self?.holdsOther() }
        connection.objects.used = { [idle] in idle.used() }
        idle.set(configuration.idleTime)
        manager?.tell(.ready)
        status?.changed()
        logger.info(
            "ready", metadata: ["store": "\(configuration.store)", "bus": "\(connection.uniqueName?.text ?? "")"])
        // Startup does not wait until expired versions are removed: the store also checks expiry times on each access.
        expiry.look()
    }

    /// Passes bus events to the other parts of the broker.
    private func follow(_ clients: BusClients) {
        clients.ownerLeft = { [schemes, idle] in
            schemes.ownerLeft($0)
            idle.released()
        }
        clients.ownerChanged = { [deliveries] in deliveries.ownerChanged($0) }
        clients.activatableChanged = { [deliveries] in deliveries.activatableChanged() }
        promises.isServing = { [deliveries] in deliveries.context.isServing }
        direct.routeChanged = { [deliveries, idle] in
            deliveries.routeChanged($0)
            idle.released()
        }
        clients.leaves = { [direct] in direct.callerLeaves($0) }
        clients.departed = { [connection, urls, deliveries, pasteboards, watchers, direct, idle] caller in
            connection.callerLeft(caller)
            direct.callerLeft(caller)
            urls.callerLeft(caller)
            deliveries.connectionLeft(caller)
            pasteboards.callerLeft(caller)
            watchers.callerLeft(caller)
            idle.released()
        }
    }

    /// What the broker reacts to while it serves, apart from calls.
    private enum Event: Sendable {
        case signal(ServiceSignal)
        case end(End)
        /// No program has used the broker for a while, and it holds nothing.
        case idle
    }

    private func serve(_ signals: AsyncStream<ServiceSignal>) async throws {
        let (events, event) = AsyncStream<Event>.makeStream()
        storeEvents.failed = { event.yield(.end(.storeFailed("\($0)"))) }
        connection.onDisconnect { event.yield(.end(.busLost)) }
        idle.exit = { [connection] in
            // From now on, each call waits until it is certain that the broker stays.
            connection.objects.hold()
            event.yield(.idle)
        }
        let waiting = DBusActor.task { for await signal in signals { event.yield(.signal(signal)) } }
        defer { waiting.cancel() }
        do {
            try await start { [deliveries] in
                deliveries.context.stopServing()
                event.yield(.end(.replaced))
            }
            try await react(to: events)
        } catch {
            let hasStore = if case End.storeFailed = error { false } else { true }
            do { try await shutDown(hasStore: hasStore) } catch let fault {
                // If the store fails during the start, its error here gives no reason, but its fault does.
                if error is StoreError { throw fault }
            }
            throw error
        }
        try await shutDown()
    }

    /// Reacts to events until one of them ends the broker.
    private func react(to events: AsyncStream<Event>) async throws {
        for await event in events {
            switch event {
            case .signal(.stop): return
            case .signal(.reload):
                manager?.tell(.reloading)
                reload.run()
                manager?.tell(.ready)
            case .signal(.report): await reader.report(to: log, configuration.limits)
            case .end(let end): throw end
            case .idle: if try await leaveName() { return }
            }
        }
    }

    /// Releases the bus name of an unused broker. The bus sends its messages in order: when its answer arrives, so have all
    /// calls to the name, and the bus keeps later calls for the next broker. If there is a call, takes the name back.
    /// - Returns: whether the broker exits.
    private func leaveName() async throws -> Bool {
        do throws(CallError) {
            try await connection.releaseName(Broker1.busName)
            guard connection.objects.hasKeptCalls else {
                let reason = "no program has used the broker for a while, and it holds nothing, so it exits"
                logger.notice("\(reason)")
                manager?.tell(.status(reason + "; the next call starts it again"))
                return true
            }
            logger.debug("a call has arrived while the broker was about to exit, so it stays")
            defer { connection.objects.serve() }
            let claim = try await connection.requestName(Broker1.busName, flags: Replacement.flags)
            if claim.isOwner { return false }
        } catch { throw End.busLost }
        throw End.replaced
    }

    /// Answers all callers (I18), makes everything durable, and closes the connections.
    /// - Parameter hasStore: whether the store still works. If the disk has failed, callers are told so.
    /// - Throws: ``End/storeFailed(_:)`` if the store could not make everything durable (I3).
    private func shutDown(hasStore: Bool = true) async throws {
        manager?.tell(.stopping)
        watchers.endAll()
        await urls.finish(within: .seconds(1))
        // Later calls get `NoReply` when the connection closes, so that their callers repeat them with the next broker.
        connection.objects.hold()
        // So do calls that arrived earlier, but reach the store only after it is closed.
        if hasStore {
            connection.objects.translate = {
                $0 as? StoreError == .unavailable ? Self.stopping : Self.translate($0)
            }
        }
        records.finish()
        var fault: End?
        do { try await store.close() } catch {
            logger.error("the store did not close cleanly: \(error)")
            fault = .storeFailed("\(error)")
        }
        await direct.finish(within: .milliseconds(300))
        await connection.closeAfterFlush(within: .milliseconds(300))
        if let fault { throw fault }
    }

    /// Reports changes of pasteboards to waiting calls and as signals, once the changes are on disk.
    private func changed(_ moves: [PasteboardMove]) {
        watchers.changed(moves)
        announcer.changed(moves)
        holdsOther()
    }

    /// Something that the broker holds has come or gone.
    private func holdsOther() {
        status?.changed()
        idle.released()
    }

    /// The error that the bus would send if the broker were killed. The library repeats the call with the next broker.
    private static let stopping = ErrorReply(
        .noReply, "the broker stopped before it carried out the call; repeat it with the next broker")

    /// Converts an error to one that the D-Bus contract names; `nil` if the error is a fault of the broker.
    private nonisolated static func translate(_ error: any Error) -> ErrorReply? {
        if let condition = error as? any Condition { return condition.errorReply }
        if case .beyondLimit(let limit, let asked, let allowed)? = error as? MessageError {
            return LimitExceeded(limit: limit, use: 0, request: asked, allowed: allowed).errorReply
        }
        return nil
    }
}

extension WireBounds {
    /// The bounds of every message to the broker. Any array of strings (names, content types, digests) may have as many
    /// elements as the highest limit for such an array allows; the exact limit is checked when a call reads the array.
    init(_ limits: Limits) {
        self.init(
            limits: limits.dictionary,
            texts: max(limits.namesPerCall, limits.schemesPerApplication, 2 * limits.representationsPerVersion),
            named: "names-per-call")
    }
}

/// Passes events from the store's own thread to the I/O thread.
@DBusActor
final class StoreEvents {
    var changed: @DBusActor ([PasteboardMove]) -> Void = { _ in }
    var failed: @DBusActor (any Error) -> Void = { _ in }
    /// The number of events from the store's thread that have not reached ``changed`` yet.
    private nonisolated let pending = Atomic(0)

    nonisolated init() {}

    /// Reports changes in order. On the I/O thread, a change is reported at once if no earlier one is pending, so that
    /// calls that wait for changes are answered before the writer.
    nonisolated func report(_ moves: [PasteboardMove]) {
        if DBusActor.isCurrent, pending.load(ordering: .acquiring) == 0 {
            return DBusActor.assumeIsolated { changed(moves) }
        }
        pending.add(1, ordering: .acquiringAndReleasing)
        DBusActor.handOver {
            self.changed(moves)
            self.pending.subtract(1, ordering: .acquiringAndReleasing)
        }
    }
}

extension BrokerConfiguration {
    /// - Parameter places: the size of the descriptor table; not positive if it is unknown.
    fileprivate func fitted(to places: Int) -> BrokerConfiguration {
        var configuration = self
        if places > 0 { configuration.limits.fitDescriptors(to: places) }
        return configuration
    }

    fileprivate func storeConfiguration(_ events: StoreEvents) throws -> StoreConfiguration {
        var store = StoreConfiguration(directory: store)
        store.limits = limits
        #if DEBUG
            store.control = control.flatMap { StoreConfiguration.Control(rawValue: $0) }
        #endif
        store.executor = DBusActor.executor
        store.handOver = { DBusActor.handOver($0) }
        store.whenIdle = { action in DBusActor.assumeIsolated { DBusActor.whenIdle(action) } }
        store.onChange = { events.report($0) }
        store.onFault = { fault in DBusActor.handOver { events.failed(fault) } }
        return store
    }
}

extension Limits {
    /// The longest message that the broker accepts, in bytes: twice the limit for inline values, plus 1 MiB.
    var longestMessage: Int { min(2 * Int(clamping: inlineMessageBytes) + (1 << 20), MessageError.longestMessage) }

    /// The limit that a call exceeded when it was refused before its method ran.
    fileprivate func exceeded(by refusal: CallRefusal) -> LimitExceeded {
        switch refusal {
        case .tooLong(let bytes):
            LimitExceeded(
                limit: "inline-message-bytes", use: 0, request: UInt64(bytes), allowed: inlineMessageBytes)
        case .overShare(let bytes):
            LimitExceeded(
                limit: "arriving-bytes", use: arrivingBytes / 2, request: UInt64(bytes), allowed: arrivingBytes / 2,
                isShare: true)
        case .tooManyCalls(let count):
            LimitExceeded(limit: "direct-calls", use: UInt64(count), request: 1, allowed: UInt64(count))
        case .tooManyDescriptors(let count):
            LimitExceeded(
                limit: "descriptors-per-message", use: 0, request: UInt64(count), allowed: descriptorsPerMessage)
        case .noDescriptors: LimitExceeded(limit: "descriptors", use: descriptors, request: 1, allowed: descriptors)
        }
    }
}
