internal import IPCDBus
internal import IPCInterface

/// The way to the broker: a connection, and the rule which calls are sent again after it was cut.
@DBusActor
final class BrokerLink {
    /// How long a broker that was there may be away: a restart takes 5 s at most (I24).
    static let absence = Duration.seconds(5)
    /// What a call may take beyond the time for which the broker itself waits.
    static let margin = Duration.seconds(5)
    /// For calls in which the broker waits for nobody.
    static let timeout = Duration.seconds(25)
    /// For calls that the broker answers when so many bytes are on the disk.
    static func timeout(storing byteCount: Int) -> Duration { timeout + time(storing: byteCount) }
    /// What a slow disk needs for so many bytes, at 10 MB a second.
    static func time(storing byteCount: Int) -> Duration { .milliseconds(byteCount / 10_000) }

    let connection: Connection
    /// Who answers; `nil` where the broker is the peer at the other end.
    let broker: BusName?
    /// Where the bus is; `nil` without one.
    let bus: BusAddress?
    let route: Route
    /// Whether there was a broker before, so that its absence is a restart.
    private var wasThere = false
    /// Whether the application has left; calls end with an error from then on.
    private(set) var isClosed = false

    /// - Parameter isLasting: whether a direct connection may pay.
    init(_ connection: Connection, broker: BusName?, bus: BusAddress? = nil, isLasting: Bool = false) {
        self.connection = connection
        route = Route(bus: connection, policy: broker == nil ? .never : Route.Policy(isLasting: isLasting))
        self.broker = broker
        self.bus = bus
    }

    /// Whether values can travel as descriptors.
    var passesDescriptors: Bool { connection.passesDescriptors }
    /// The same as options say it: `nil` for no.
    var takesDescriptors: Bool? { passesDescriptors ? true : nil }

    /// Connects to a bus; the connection outlives restarts of it.
    static func open(_ bus: BusAddress, isLasting: Bool = false) async throws(IPCError) -> BrokerLink {
        do throws(ConnectionError) {
            return BrokerLink(
                try await Connection.open(bus, reconnects: true), broker: Broker1.busName, bus: bus,
                isLasting: isLasting)
        } catch {
            throw IPCError(error, bus: bus)
        }
    }

    /// The way over a connection to the session bus.
    static func of(_ connection: Connection) -> BrokerLink {
        BrokerLink(connection, broker: Broker1.busName, bus: .session)
    }

    /// Calls a method of the broker.
    /// - Parameters:
    ///   - timeout: for all tries together.
    ///   - repeatable: whether a second call has no second effect: it reads, or has an id.
    ///   - waitsForBus: whether a bus that is away is waited for; what ends with the connection need not be ended.
    ///   - repeated: the input of a call whose answer was lost before, when it is sent again.
    func call<Input, Output>(
        _ method: Method<Input, Output>, at path: ObjectPath = Broker1.path, _ input: Input,
        timeout: Duration = BrokerLink.timeout, repeatable: Bool, waitsForBus: Bool = true,
        repeated: (Input) -> Input = { $0 }
    ) async throws(IPCError) -> Output {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var input = input
        while true {
            guard waitsForBus || connection.isConnected else { throw .cutOff }
            let direct = await route.direct()
            do throws(CallError) {
                let output = try await (direct ?? connection).call(
                    method, on: direct == nil ? broker : nil, at: path, input,
                    timeout: ContinuousClock.now.duration(to: deadline))
                wasThere = true
                return output
            } catch {
                if direct != nil, error.meansCutOff { route.cutOff() }
                try await recover(from: error, repeatable: repeatable, until: deadline)
                // What the bus gave to nobody has not been sent yet.
                if error.meansCutOff { input = repeated(input) }
            }
        }
    }

    /// Returns when the call may be sent again.
    private func recover(
        from error: CallError, repeatable: Bool, until deadline: ContinuousClock.Instant
    ) async throws(IPCError) {
        let left = ContinuousClock.now.duration(to: deadline)
        switch error {
        case _ where isClosed: throw IPCError(.storeUnavailable, "the connection of the application was closed")
        case _ where error.meansCutOff:
            guard repeatable else { throw .cutOff }
            guard broker != nil, left > .zero else { throw IPCError(error) }
            wasThere = true
            // The loss may be known to the call before it is known to the connection.
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

    /// Waits until what was sent has left the process, then ends the connection.
    func close() async {
        isClosed = true
        await route.close()
        await connection.closeAfterFlush()
    }
}
