internal import CLinux
internal import Glibc
package import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
package import Logging
private import Synchronization

/// The broker: `run` is its whole life.
@DBusActor
package final class Broker {
    private let configuration: BrokerConfiguration
    private let logger: Logger
    private let store: Store
    private let connection: Connection
    private let clients: BusClients
    private let schemes: SchemesService
    private let policies: AccessPolicies
    private let records: RequestRecords
    private let deliveries: Deliveries
    private let urls: URLsService
    private let pasteboards: PasteboardsService
    private let promises: PromiseFetcher
    private let expiry: ExpiryClock
    private let arrivals: ArrivalOrder
    private let descriptors: DescriptorBudget
    private let direct: DirectConnections
    private let watchers: ChangeWatchers
    private let announcer: ChangeAnnouncer
    private let storeEvents: StoreEvents

    /// Why a broker ended by itself.
    package enum End: Error, Sendable {
        /// Another broker serves this bus.
        case alreadyRunning(owner: String)
        /// There is no message bus to serve.
        case noBus(String)
        /// The message bus is gone.
        case busLost
        /// The store can no longer promise anything (I3).
        case storeFailed(String)
        /// It would serve everybody on the machine.
        case systemBus
    }

    /// Serves until `stop` ends or the bus or the store is lost; on the way out everybody is answered, and the store
    /// is checkpointed.
    /// - Throws: ``End`` for an end that was not asked for; the store's and the bus's errors if it cannot begin.
    package nonisolated static func run(
        _ configuration: BrokerConfiguration, logger: Logger, until stop: @escaping @Sendable () async -> Void
    ) async throws {
        let places = clinux_raise_descriptor_limit()
        // A log that nobody reads any more is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        var configuration = configuration
        if places > 0 { configuration.limits.fitDescriptors(to: places) }
        if let whenQuiet = configuration.whenQuiet { await DBusActor.whenQuiet(whenQuiet) }
        let broker = try await Broker(configuration, logger: logger)
        try await broker.serve(until: stop)
    }

    private init(_ configuration: BrokerConfiguration, logger: Logger) async throws {
        (self.configuration, self.logger) = (configuration, logger)
        let limits = configuration.limits
        guard (try? configuration.bus.isSystemBus) != true else { throw End.systemBus }
        storeEvents = StoreEvents()
        try await Self.refuseBesideAnother(configuration)
        let arriving = ArrivingBytes(most: Int(clamping: limits.arrivingBytes))
        let ground = try await Ground(configuration, storeEvents, arriving, logger)
        (connection, clients, store) = (ground.connection, ground.clients, ground.store)
        policies = AccessPolicies(store: store, logger: logger)
        watchers = ChangeWatchers(
            limits: limits, visibility: { [clients] in clients.knownVisibility(of: $0) ?? .sandbox(nil) },
            hasDeparted: { [clients] in clients.hasDeparted($0) })
        announcer = ChangeAnnouncer(connection: connection, store: store, limits: limits)
        expiry = ExpiryClock(store: store, logger: logger)
        arrivals = ArrivalOrder(limits: limits)
        descriptors = DescriptorBudget(limits: limits) { [store] in store.statistics.snapshot.memoryFiles }
        direct = DirectConnections(
            bus: connection, clients: clients, descriptors: descriptors,
            directory: RuntimeDirectory(store: configuration.store, environment: configuration.environment),
            limits: limits, arriving: arriving)
        promises = PromiseFetcher(store: store, connection: connection, bus: ground.bus, limits: limits)
        schemes = SchemesService(
            store: store, clients: clients, connection: connection, policies: policies, limits: limits,
            identify: promises.writer)
        schemes.desktop = configuration.desktopProgram.flatMap {
            DesktopProgram($0, environment: configuration.environment, limits: limits, logger: logger)
        }
        let table = RequestTable(limits: limits)
        records = RequestRecords(
            store: store, connection: connection, clients: clients, table: table, limits: limits, logger: logger)
        deliveries = Deliveries(
            DeliverySurroundings(
                connection: connection, direct: direct, clients: clients, table: table, records: records,
                limits: limits, defects: try DeliveryDefects(configuration)
            ) { [schemes] in schemes.facts(of: $0) }, desktop: schemes.desktop)
        let acceptance = RequestAcceptance(
            store: store, deliveries: deliveries, table: table, promises: promises, expiry: expiry, limits: limits)
        urls = URLsService(
            store: store, schemes: schemes, clients: clients, arrivals: arrivals, table: table, deliveries: deliveries,
            acceptance: acceptance, descriptors: descriptors, limits: limits)
        pasteboards = PasteboardsService(
            store: store, connection: connection, clients: clients, watchers: watchers, arrivals: arrivals,
            promises: promises, limits: limits)
    }

    /// What everything else stands on: the connection, the programs on the bus, and the store.
    private struct Ground {
        let connection: Connection
        let clients: BusClients
        /// The id of the bus.
        let bus: String
        let store: Store

        @DBusActor
        init(
            _ configuration: BrokerConfiguration, _ events: StoreEvents, _ arriving: ArrivingBytes, _ logger: Logger
        ) async throws {
            // The store is opened while the bus is asked; both take some milliseconds.
            let opening = Broker.open(try configuration.storeConfiguration(events))
            do {
                connection = try await Broker.connect(configuration.bus, Self.objects(configuration, logger))
                clients = BusClients(connection)
                connection.boundUnreadAnswers { [clients] in !clients.hasDeparted($0) }
                connection.bound(arriving, messageBytes: configuration.limits.longestMessage)
                try await clients.start()
                bus = try await connection.busID()
            } catch {
                try? await opening.value.close()
                throw error
            }
            store = try await opening.value
            Broker.report(store.report, to: logger)
        }

        @DBusActor
        private static func objects(_ configuration: BrokerConfiguration, _ logger: Logger) -> ObjectServer {
            let objects = ObjectServer(logger: logger)
            objects.invalidArguments = IPCError.Code.invalidArguments.errorName
            objects.translate = { Broker.translate($0) }
            objects.bounds = WireBounds(configuration.limits)
            objects.refusal = { [limits = configuration.limits] in limits.exceeded(by: $0).errorReply }
            return objects
        }
    }

    /// A broker that cannot serve makes no store: where there is none yet, the bus is asked before.
    private static func refuseBesideAnother(_ configuration: BrokerConfiguration) async throws {
        guard access(configuration.store, F_OK) != 0 else { return }
        let connection = try await connect(configuration.bus, ObjectServer())
        let owner = try? await connection.owner(of: Broker1.busName)
        await connection.closeAfterFlush()
        if let owner { throw End.alreadyRunning(owner: owner.text) }
    }

    fileprivate static func connect(_ address: BusAddress, _ objects: ObjectServer) async throws -> Connection {
        do throws(ConnectionError) { return try await Connection.open(address, objects: objects) } catch {
            throw End.noBus(error.description)
        }
    }

    fileprivate static func open(_ configuration: StoreConfiguration) -> Task<Store, any Error> {
        DBusActor.task { try await Background.run { Result { try Store.open(configuration) } }.get() }
    }

    fileprivate static func report(_ report: OpeningReport, to logger: Logger) {
        if !report.wasClean { logger.notice("the last run did not end in good order; the store was checked") }
        guard let place = report.quarantine else { return }
        logger.error(
            "the store was damaged and put away; what passed its checksums was brought over",
            metadata: [
                "kept-at": "\(place)", "rows": "\(report.salvaged?.rows ?? 0)", "check": "\(report.damage ?? "")",
            ])
    }

    /// The one place that joins the parts; objects first, the name last, so that nobody calls too early.
    private func start() async throws {
        let pasteboard = PasteboardService(
            store: store, clients: clients, arrivals: arrivals, promises: promises, expiry: expiry,
            descriptors: descriptors, limits: configuration.limits)
        let broker = BrokerService(configuration, direct: direct) { [watchers, urls, direct] in
            [
                "watchers": "\(watchers.count)", "pending-requests": "\(urls.table.count)",
                "direct-connections": "\(direct.count)",
            ]
        } usage: { [weak self] in
            guard let self else { throw StoreError.unavailable }
            return try await self.usage(for: $0)
        } absentDefaults: { [clients, schemes] in
            guard await clients.visibility(of: $0).isWhole else { return [:] }
            return schemes.registry.absentDefaults(limit: UsageReport.mostSources)
        }
        connection.objects.export(
            [broker.exported, schemes.exported, urls.exported, pasteboards.exported], at: Broker1.path)
        connection.objects.export(pasteboard.exported, below: Pasteboards1.root)
        follow(clients)
        storeEvents.changed = { [weak self] in self?.changed($0) }
        try await policies.load()
        let installed = InstalledClaims(environment: { configuration.environment[$0] }, logger: logger)
        try await schemes.load { installed.load() }
        try await urls.recover()
        guard try await connection.requestName(Broker1.busName).isOwner else {
            let owner = try await connection.owner(of: Broker1.busName)
            throw End.alreadyRunning(owner: owner?.text ?? "another connection")
        }
        deliveries.begin()
        logger.info(
            "ready", metadata: ["store": "\(configuration.store)", "bus": "\(connection.uniqueName?.text ?? "")"])
        // Reads what the start did not need; before it, each call looks at the time itself.
        expiry.look()
    }

    /// Tells the parts what happens to the programs on the bus.
    private func follow(_ clients: BusClients) {
        clients.ownerLeft = { [schemes] in schemes.ownerLeft($0) }
        clients.ownerChanged = { [deliveries] in deliveries.ownerChanged($0) }
        clients.activatableChanged = { [deliveries] in deliveries.activatableChanged() }
        direct.routeChanged = { [deliveries] in deliveries.routeChanged($0) }
        clients.leaves = { [direct] in direct.callerLeaves($0) }
        clients.departed = { [connection, urls, deliveries, pasteboards, watchers, direct] caller in
            connection.callerLeft(caller)
            direct.callerLeft(caller)
            urls.callerLeft(caller)
            deliveries.connectionLeft(caller)
            pasteboards.callerLeft(caller)
            watchers.callerLeft(caller)
        }
    }

    /// What is in use of the limits. A sandboxed caller learns nothing of other applications.
    private func usage(for caller: BusName?) async throws -> UsageReport {
        let isFree = await clients.visibility(of: caller).isWhole
        let own = await clients.source(stated: nil, by: caller)
        let stored = try await store.commit { $0.usage() }
        let kept = store.statistics.snapshot.memoryFiles
        return UsageReport(stored, watchers: watchers.count, descriptors: descriptors.count + UInt64(kept)) {
            isFree || own.strength == .sandboxed && $0 == own.application
        }
    }

    private func serve(until stop: @escaping @Sendable () async -> Void) async throws {
        let ending = Ending()
        storeEvents.failed = { ending.end(.failure(.storeFailed("\($0)"))) }
        connection.onDisconnect { ending.end(.failure(.busLost)) }
        let waiting = DBusActor.task {
            await stop()
            ending.end(.success(()))
        }
        defer { waiting.cancel() }
        let result: Result<Void, End>
        do {
            try await start()
            result = await ending.wait()
        } catch {
            await shutDown()
            throw error
        }
        await shutDown()
        try result.get()
    }

    /// Answers everybody (I18), makes everything durable, says good-bye.
    private func shutDown() async {
        watchers.endAll()
        await urls.finish(within: .seconds(1))
        records.finish()
        do { try await store.close() } catch { logger.error("the store did not close in good order: \(error)") }
        await direct.finish(within: .milliseconds(300))
        await connection.closeAfterFlush(within: .milliseconds(300))
    }

    /// Pasteboards moved, and that is on the disk.
    private func changed(_ moves: [PasteboardMove]) {
        watchers.changed(moves)
        announcer.changed(moves)
    }

    /// The names of errors on the wire: conditions have one of the contract, what the store cannot do has one, all
    /// else is a fault.
    private nonisolated static func translate(_ error: any Error) -> ErrorReply? {
        if let condition = error as? any Condition { return condition.errorReply }
        if case .beyondLimit(let limit, let asked, let allowed)? = error as? MessageError {
            return LimitExceeded(limit: limit, use: 0, request: asked, allowed: allowed).errorReply
        }
        return nil
    }
}

extension WireBounds {
    /// What a message to the broker may hold. Texts in arrays are names, content types and digests; the exact limits of
    /// each are checked when they are read.
    init(_ limits: Limits) {
        self.init(
            limits: limits.dictionary,
            texts: max(limits.namesPerCall, limits.schemesPerApplication, 2 * limits.representationsPerVersion),
            named: "names-per-call")
    }
}

/// What the store tells from its own thread, on ours.
@DBusActor
final class StoreEvents {
    var changed: @DBusActor ([PasteboardMove]) -> Void = { _ in }
    var failed: @DBusActor (any Error) -> Void = { _ in }
    /// How often ``changed`` has still to come for what the store's thread has told.
    private nonisolated let untold = Atomic(0)

    nonisolated init() {}

    /// Tells what moved, in the order in which it is told here: at once where the I/O thread has run the operation itself,
    /// so that who waits for the change is answered before the writer's answer is even made.
    nonisolated func tell(_ moves: [PasteboardMove]) {
        if DBusActor.isCurrent, untold.load(ordering: .acquiring) == 0 {
            return DBusActor.assumeIsolated { changed(moves) }
        }
        untold.add(1, ordering: .acquiringAndReleasing)
        DBusActor.handOver {
            self.changed(moves)
            self.untold.subtract(1, ordering: .acquiringAndReleasing)
        }
    }
}

extension BrokerConfiguration {
    fileprivate func storeConfiguration(_ events: StoreEvents) throws -> StoreConfiguration {
        var store = StoreConfiguration(directory: store)
        store.limits = limits
        #if DEBUG
            store.control = control.flatMap { StoreConfiguration.Control(rawValue: $0) }
        #endif
        store.executor = DBusActor.executor
        store.handOver = { answers in DBusActor.handOver { for answer in answers { answer() } } }
        store.whenIdle = { action in DBusActor.assumeIsolated { DBusActor.whenIdle(action) } }
        store.onChange = { events.tell($0) }
        store.onFault = { fault in DBusActor.handOver { events.failed(fault) } }
        return store
    }
}

/// The first reason to end; later ones change nothing.
@DBusActor
private final class Ending {
    private var result: Result<Void, Broker.End>?
    private var waiting: CheckedContinuation<Result<Void, Broker.End>, Never>?

    func end(_ result: Result<Void, Broker.End>) {
        guard self.result == nil else { return }
        self.result = result
        waiting?.resume(returning: result)
        waiting = nil
    }

    func wait() async -> Result<Void, Broker.End> {
        if let result { return result }
        return await withCheckedContinuation { continuation in
            if let result { continuation.resume(returning: result) } else { waiting = continuation }
        }
    }
}
