internal import IPCDBus
internal import IPCInterface

/// Calls the broker, and repeats calls after the broker or the bus has restarted.
@DBusActor
final class BrokerLink {
    /// How long a broker that was running before may be absent: a restart takes at most 5 s (I24).
    static let absence = Duration.seconds(5)
    /// The time-out of a call is the broker's own waiting time plus this margin.
    static let margin = Duration.seconds(5)
    /// The time-out of calls that the broker answers at once.
    static let timeout = Duration.seconds(25)
    /// The time-out of calls that the broker answers after storing their payload.
    static func timeout(storing byteCount: Int) -> Duration { timeout + time(storing: byteCount) }
    /// How long the broker may wait for an event, such as the end of a request, before it answers a call.
    static let question = Duration.seconds(20)
    static let questionTimeout = question + margin * 2
    /// The time that a slow disk needs to store a payload, at 10 MB per second.
    static func time(storing byteCount: Int) -> Duration { .milliseconds(byteCount / 10_000) }

    let connection: Connection
    /// The bus name of the broker; `nil` on a peer-to-peer connection, on which the peer is the broker.
    let broker: BusName?
    /// The address of the bus; `nil` if there is no bus.
    let bus: BusAddress?
    let route: Route
    /// Whether each call that changes something gets an id, so that it can be sent again after a restart.
    private let resends: Bool
    /// When all calls of this link end, whatever their time-outs; `nil` if each call has its own time-out.
    private let deadline: ContinuousClock.Instant?
    /// Whether a broker is known to have been running. If so, its absence means that it is restarting.
    private var wasThere = false
    private(set) var isClosed = false
    /// Follows the owner of the broker's name from the first call on.
    private var ownerWatch: Task<NameWatch, any Error>?

    /// - Parameter resends: whether each call that changes something gets an id. If so, the application is expected to
    ///   make more than one call, and the link may open a direct connection to the broker.
    init(
        _ connection: Connection, broker: BusName?, bus: BusAddress? = nil, resends: Bool = true,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.connection = connection
        route = Route(bus: connection, policy: broker == nil ? .never : Route.Policy(isLasting: resends))
        (self.broker, self.bus, self.resends, self.deadline) = (broker, bus, resends, deadline)
    }

    var passesDescriptors: Bool { connection.passesDescriptors }
    /// ``passesDescriptors`` as an option of a call; `nil` instead of false, so that the option is left out.
    var takesDescriptors: Bool? { passesDescriptors ? true : nil }

    /// Creates an id for a change, so that it can be sent again; `nil` if this application does not resend changes.
    func repetitionID() -> String? { resends ? RequestID.random().text : nil }

    static func open(_ bus: BusAddress, resends: Bool) async throws(IPCError) -> BrokerLink {
        do throws(ConnectionError) {
            let connection = try await Connection.open(bus, reconnects: true)
            return BrokerLink(connection, broker: Broker1.busName, bus: bus, resends: resends)
        } catch {
            throw IPCError(error, bus: bus)
        }
    }

    // MARK: The bus

    func onBus<Output: Sendable>(
        _ body: @DBusActor (Connection) async throws(CallError) -> Output
    ) async throws(IPCError) -> Output {
        do throws(CallError) { return try await body(connection) } catch { throw IPCError(error) }
    }

    /// Subscribes to a signal, but only from the owner of the broker's name, because any program can send any signal.
    func subscribe<Content>(
        to signal: Signal<Content>, _ body: @escaping @DBusActor (Content) -> Void
    ) async throws(IPCError) -> Subscription {
        try await onBus { (bus) throws(CallError) in
            try await bus.subscribe(to: signal, from: broker, at: Broker1.path) { content, _ in body(content) }
        }
    }

    // MARK: Calls

    /// Makes the bus report the owner of the broker's name. Answers of other connections, which a session bus passes on,
    /// then have no effect (I19). Calls do not wait for the first report, because it takes as long as a short call.
    private func followOwner() {
        guard ownerWatch == nil, let broker else { return }
        ownerWatch = DBusActor.task { [connection, weak self] in
            do { return try await connection.watchName(broker) } catch {
                self?.ownerWatch = nil
                throw error
            }
        }
    }

    /// - Parameters:
    ///   - timeout: the time-out for all attempts together, unless the link has a deadline.
    ///   - repeatable: whether repeating the call has no further effect, because it only reads or has an id.
    ///   - waitsForBus: whether to wait for the bus if it is lost. A release of live claims does not wait, because the
    ///     loss of the bus has already released them.
    ///   - repeated: returns the input for a call that is sent again because its answer was lost.
    func call<Input, Output>(
        _ method: Method<Input, Output>, at path: ObjectPath = Broker1.path, _ input: Input,
        timeout: Duration = BrokerLink.timeout, repeatable: Bool, waitsForBus: Bool = true,
        repeated: (Input) -> Input = { $0 }
    ) async throws(IPCError) -> Output {
        let deadline = self.deadline ?? ContinuousClock.now.advanced(by: timeout)
        var input = input
        while true {
            guard waitsForBus || connection.isConnected else { throw .cutOff }
            let direct = await route.direct()
            if direct == nil { followOwner() }
            do throws(CallError) {
                let output = try await (direct ?? connection).call(
                    method, on: direct == nil ? broker : nil, at: path, input,
                    timeout: ContinuousClock.now.duration(to: deadline))
                wasThere = true
                return output
            } catch {
                if direct != nil, error.meansCutOff { route.cutOff() }
                try await recover(from: error, repeatable: repeatable, until: deadline)
                // Mark the call as repeated only if a broker may have received it, not if the bus could not deliver it.
                if error.meansCutOff { input = repeated(input) }
            }
        }
    }

    /// Waits until the call may be sent again; throws if it must not be.
    private func recover(
        from error: CallError, repeatable: Bool, until deadline: ContinuousClock.Instant
    ) async throws(IPCError) {
        let left = ContinuousClock.now.duration(to: deadline)
        switch error {
        case _ where isClosed: throw IPCError(.storeUnavailable, "the application's connection was closed")
        case _ where error.meansCutOff:
            guard repeatable else { throw .cutOff }
            guard broker != nil, left > .zero else { throw IPCError(error) }
            wasThere = true
            // Let the connection notice that it is lost: the call may fail before that.
            await Task.yield()
        case _ where error.meansNoBroker && wasThere && left > .zero:
            guard let broker else { throw IPCError(error) }
            do throws(CallError) {
                _ = try await connection.waitForName(broker, timeout: min(left, Self.absence))
            } catch .disconnected {
                await Task.yield()
            } catch .timedOut {
                throw IPCError(error)
            } catch let other {
                throw IPCError(other)
            }
        default:
            if case .remote = error, !error.meansNoBroker { wasThere = true }
            throw IPCError(error)
        }
    }

    /// Flushes and closes the connections. Later calls throw an error.
    func close() async {
        isClosed = true
        await route.close()
        await connection.closeAfterFlush()
    }
}
