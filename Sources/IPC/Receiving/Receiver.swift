internal import Glibc
internal import IPCDBus
internal import IPCInterface

/// The receiving side of an application: its object, bus name and schemes.
@DBusActor
final class Receiver {
    let requests: ReceivedRequests
    let id: ApplicationID
    let link: BrokerLink
    let claims: SchemeClaims
    private let gate: BrokerGate
    /// The claims of this process, which are registered again with a new broker.
    private var registrations: [(schemes: [URLScheme], options: RegisterOptions)] = []
    private(set) var absence: BusAbsence?
    var activated: (@Sendable (String?) -> Void)?
    /// Whether the sequence ``Application/openURLs`` has finished.
    private var hasEnded = false

    init(_ id: ApplicationID, _ link: BrokerLink, _ claims: SchemeClaims) {
        (self.id, self.link, self.claims) = (id, link, claims)
        gate = BrokerGate(link)
        requests = ReceivedRequests(link)
        link.connection.onNameLost { [weak self] name in self?.lost(name) }
        guard link.broker != nil else { return }
        absence = BusAbsence(link.connection) { [weak self] error in
            guard let self, !self.registrations.isEmpty else { return }
            self.end(with: error)
        }
    }

    // MARK: Registration

    /// Exports the object, then requests the name, then registers the schemes, so that no request arrives too early.
    func receive(_ schemes: [URLScheme], _ options: RegisterOptions) async throws(IPCError) -> [Handler] {
        let isFirst = registrations.isEmpty
        if isFirst { try await appear() }
        if hasEnded { requests.begin() }
        hasEnded = false
        do throws(IPCError) {
            let conflicts = try await claims.register(schemes, for: id, options)
            registrations.append((schemes, options))
            link.route.handles()
            return conflicts
        } catch {
            if isFirst { await disappear() }
            throw error
        }
    }

    private func appear() async throws(IPCError) {
        link.connection.objects.export([interface(), desktopInterface()], at: try path())
        guard link.broker != nil else { return }
        try await gate.open { [weak self] owner in Task { await self?.registerAgain(with: owner) } }
        try await own()
    }

    /// Stops receiving, because another process took the id while the bus was away and now receives the requests.
    private func lost(_ name: BusName) {
        guard name.text == id.text else { return }
        end(with: IPCError(.notOwner, "\(id.text) was taken by another process while the bus was away"))
    }

    private func end(with error: IPCError?) {
        registrations = []
        hasEnded = true
        requests.end(with: error)
    }

    /// Releases the bus name, because the first registration failed and the application handles nothing.
    private func disappear() async {
        gate.close()
        if let path = try? path() { link.connection.objects.remove(path) }
        if link.broker != nil, let name = try? BusName(id) { try? await link.connection.releaseName(name) }
    }

    private func path() throws(IPCError) -> ObjectPath {
        do throws(NameError) { return try ObjectPath(id.objectPath) } catch {
            throw IPCError(.invalidName, error.description)
        }
    }

    private func own() async throws(IPCError) {
        let name = try BusName(id)
        let claim = try await link.onBus { (bus) throws(CallError) in try await bus.requestName(name) }
        guard !claim.isOwner else { return }
        throw IPCError(.notOwner, "\(id.text) is in use by \(await owner(of: name)); stop it, or choose another id")
    }

    private func owner(of name: BusName) async -> String {
        guard let owner = try? await link.connection.owner(of: name) else { return "another process" }
        let facts = try? await link.connection.call(
            MessageBus.getConnectionCredentials, on: .bus, at: MessageBus.path, owner.text)
        guard let process = facts?["ProcessID"].flatMap({ UInt32(dbusValue: $0) }) else { return owner.text }
        return "\(owner.text) (process \(process))"
    }

    private func registerAgain(with owner: BusName) async {
        for registration in registrations {
            do throws(IPCError) {
                _ = try await claims.register(registration.schemes, for: id, registration.options)
            } catch {
                // If this broker has stopped, ignore the error: the claims are registered again with the next broker.
                if gate.owner == owner {
                    hasEnded = true
                    requests.end(with: error)
                }
                return
            }
        }
        if !registrations.isEmpty { link.route.handles() }
    }

    /// Removes schemes from the claims that are registered again with a new broker; an empty list means all schemes.
    func forget(_ schemes: [URLScheme]) {
        for place in registrations.indices {
            registrations[place].schemes.removeAll { schemes.isEmpty || schemes.contains($0) }
        }
        registrations.removeAll(where: \.schemes.isEmpty)
    }

    // MARK: Requests

    private func interface() -> ExportedInterface {
        ExportedInterface(
            URLHandler1.description,
            methods: [
                URLHandler1.openURL.answered(later: { [weak self] input, call, answer in
                    guard let self else { return answer(.failure(ErrorReply.handedBack)) }
                    self.gate.admit(call) { refusal in
                        if let refusal { return answer(.failure(refusal)) }
                        self.requests.take(input.0, input.1, input.2, answer)
                    }
                }),
                URLHandler1.cancelURL.answered(later: { [weak self] id, call, answer in
                    guard let self else { return answer(.success(())) }
                    self.gate.admit(call) { refusal in
                        if refusal == nil { self.requests.cancel(id) }
                        answer(refusal.map { .failure($0) } ?? .success(()))
                    }
                }),
            ])
    }

    // MARK: End

    /// Releases the claims of this process. The bus name is kept, so that requests can still be answered.
    func stop() async throws(IPCError) {
        let schemes = registrations.flatMap(\.schemes)
        end(with: nil)
        do throws(IPCError) { try await release(schemes) } catch {
            // If the connection is closed or lost, the live claims are released anyway.
            guard link.isClosed || !link.connection.isConnected else { throw error }
        }
    }

    private func release(_ schemes: [URLScheme]) async throws(IPCError) {
        var live: [URLScheme] = []
        for scheme in schemes {
            let rows = try await claims.handlers(of: scheme, limit: Self.claimsAsked, waitsForBus: false)
            let kind = rows.first { $0.application == id.text }?.kind ?? ""
            // Do not unregister a scheme with a stored claim, because this would remove the stored claim as well.
            if kind.isEmpty || kind == Self.liveClaim { live.append(scheme) }
        }
        if !live.isEmpty { try await claims.unregister(live, of: id, waitsForBus: false) }
    }

    private static let liveClaim = "live"
    /// How many claims to a scheme are read, in a single page. Any others are ignored.
    private static let claimsAsked: UInt32 = 1_000

    /// Stops receiving, and returns when the callbacks have completed and no more requests can arrive.
    func end() async {
        requests.end(with: nil)
        await requests.callbacks.finish()
        await withdraw()
        gate.close()
    }

    /// Releases the bus name, and hands back every request that the broker has sent before it noticed. Otherwise, the
    /// end of the connection would answer such a request, as `failed`.
    private func withdraw() async {
        guard gate.isOpen, link.connection.isConnected, let broker = link.broker, let name = try? BusName(id) else {
            return
        }
        guard (try? await link.connection.releaseName(name)) != nil else { return }
        // The bus tells the broker about the release before it passes on this call, and the broker's answer arrives
        // after its requests. Requests over a direct connection arrive before the broker's answer on that connection.
        let _: Void? = try? await link.connection.call(
            Peer.ping, on: broker, at: "/", (), timeout: Self.farewell, startsService: false)
        guard let direct = link.route.current else { return }
        let _: Void? = try? await direct.call(Peer.ping, on: nil, at: "/", (), timeout: Self.farewell)
    }

    /// How long a broker that does not answer can delay the end.
    private static let farewell = Duration.seconds(1)
}

extension BusName {
    init(_ id: ApplicationID) throws(IPCError) {
        do throws(NameError) { try self.init(id.text) } catch { throw IPCError(.invalidName, error.description) }
    }
}

/// Watches how long the bus is away while a handler waits for it. A program that was started by a bus belongs to that
/// bus, and stops if the bus does not return. Other programs wait indefinitely.
@DBusActor
final class BusAbsence {
    /// The longest wait; `nil` means no limit.
    var patience: Duration?
    var began: (@Sendable () -> Void)?
    /// Runs when the bus has been away for longer than ``patience``.
    private let isOver: @DBusActor (IPCError) -> Void
    private let timer = DBusTimer()

    init(_ connection: Connection, isOver: @escaping @DBusActor (IPCError) -> Void) {
        self.isOver = isOver
        patience = Self.isStartedByBus { getenv($0) != nil } ? BrokerLink.absence : nil
        connection.onDisconnect { [weak self] in self?.begin() }
        connection.onReconnect { [weak self] in self?.timer.cancel() }
    }

    /// Whether a bus started this process (D-Bus Specification, “Message Bus Starting Services”).
    nonisolated static func isStartedByBus(_ hasVariable: (String) -> Bool) -> Bool {
        ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE"].contains(where: hasVariable)
    }

    private func begin() {
        began?()
        guard let patience else { return }
        timer.set(at: .now + patience) { [weak self] in
            self?.isOver(
                IPCError(
                    .noBus,
                    "the message bus that started this program has been gone for \(patience.components.seconds) s; "
                        + "the next bus starts this program again when it is needed"))
        }
    }
}
