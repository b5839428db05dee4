internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
internal import Logging

/// What the broker holds at one moment.
struct BrokerState: Equatable {
    /// Programs on the bus that have called the broker.
    var clients = 0
    /// Applications that have registered themselves and are running.
    var handlers = 0
    var pendingRequests = 0
    /// Calls that wait for a change.
    var watchers = 0
    /// Calls that wait for the outcome of a request of an earlier call.
    var requestWaiters = 0
    var directConnections = 0
    /// Descriptors for values that are arriving or in memory.
    var descriptors: UInt64 = 0
    var claims = 0
    var defaults = 0
    var pasteboards: UInt64 = 0
    var items: UInt64 = 0
    var storedBytes: UInt64 = 0
    var memoryBytes: UInt64 = 0

    /// The state in a few words.
    var status: String {
        "serving \(pasteboards) \(pasteboards == 1 ? "pasteboard" : "pasteboards"), "
            + "\(pendingRequests) pending \(pendingRequests == 1 ? "request" : "requests")"
    }

    /// For the log.
    var fields: [String: String] {
        [
            "clients": "\(clients)", "handlers": "\(handlers)", "pasteboards": "\(pasteboards)",
            "pending-requests": "\(pendingRequests)", "watchers": "\(watchers)",
            "direct-connections": "\(directConnections)",
        ]
    }

    /// The limits of which something is in use, each as in `3 of 100`.
    func limitsInUse(_ limits: Limits) -> [String: String] {
        let use: [(KeyPath<Limits, UInt64>, UInt64)] = [
            (\.pasteboards, pasteboards), (\.items, items), (\.storedBytes, storedBytes),
            (\.memoryBytes, memoryBytes), (\.descriptors, descriptors), (\.watchers, UInt64(watchers)),
            (\.schemes, UInt64(claims)), (\.schemeDefaults, UInt64(defaults)),
            (\.pendingRequests, UInt64(pendingRequests)), (\.requestWaiters, UInt64(requestWaiters)),
            (\.directConnections, UInt64(directConnections)),
        ]
        return Dictionary(
            uniqueKeysWithValues: use.filter { $0.1 > 0 }.map { limit, amount in
                (limits.name(limit), "\(amount) of \(limits[keyPath: limit])")
            })
    }
}

/// Collects the state from the parts of the broker.
@DBusActor
struct BrokerStateReader {
    let connection: Connection
    let store: Store
    let clients: BusClients
    let schemes: SchemesService
    let table: RequestTable
    let watchers: ChangeWatchers
    let descriptors: DescriptorBudget
    let direct: DirectConnections
    let promises: PromiseFetcher

    /// - Parameter usage: what the store holds now.
    func state(_ usage: StoreUsage) -> BrokerState {
        var state = BrokerState()
        (state.clients, state.handlers) = (clients.callerCount, schemes.liveCount)
        (state.pendingRequests, state.requestWaiters) = (table.count, table.waiterCount)
        (state.watchers, state.directConnections) = (watchers.count, direct.count)
        state.descriptors = descriptors.count + UInt64(store.statistics.snapshot.memoryFiles)
        (state.claims, state.defaults) = (schemes.registry.claimCount, schemes.registry.defaultCount)
        (state.pasteboards, state.items) = (usage.total.pasteboards, usage.total.items)
        (state.storedBytes, state.memoryBytes) = (usage.total.bytes, usage.memoryBytes)
        return state
    }

    func state() async throws -> BrokerState { state(try await store.commit { $0.usage() }) }

    /// Whether the broker holds nothing that would be lost, no program waits for it, and the bus can start it again.
    func holdsNothing(_ logger: Logger) async -> Bool {
        // If the store has failed, the broker is about to exit anyway.
        guard let holdings = try? await holdings() else { return false }
        guard !holdings.isEmpty else { return true }
        logger.debug(
            "no program uses the broker, but it does not exit",
            metadata: ["because-of": "\(holdings.joined(separator: ", "))"])
        return false
    }

    /// What keeps an unused broker running. An event reports the end of each of these (``IdleExit``).
    private func holdings() async throws -> [String] {
        let (isInMemory, promisers) = try await store.commit { (try $0.holdsContentInMemory, try $0.promisers()) }
        let isActivatable = await clients.activatable().contains(Broker1.busName.text)
        let isPromised = promisers.contains { writer in
            promises.owner(writer).map { !clients.hasDeparted($0) } ?? false
        }
        let holdings = [
            ("pasteboards in memory", isInMemory), ("promises", isPromised), ("requests", table.count > 0),
            ("calls", connection.hasUnansweredCalls), ("handlers", schemes.liveCount > 0),
            ("direct connections", direct.count > 0), ("no service file", !isActivatable),
        ]
        return holdings.filter(\.1).map(\.0)
    }

    /// Logs the state (SIGUSR1).
    func report(to log: LogOutput, _ limits: Limits) async {
        do {
            let state = try await state()
            log.tell(.notice, "the state", state.fields)
            log.tell(.notice, "the limits in use", state.limitsInUse(limits))
        } catch { log.tell(.error, "the state cannot be read: \(error)") }
    }
}
