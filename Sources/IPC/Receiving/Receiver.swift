internal import IPCDBus
internal import IPCInterface

/// The handler's side of an application: its object, its bus name, its schemes.
@DBusActor
final class Receiver {
    let deliveries: Deliveries
    let id: ApplicationID
    let link: BrokerLink
    private let gate: BrokerGate
    /// What was registered, to be registered again with a new broker.
    private var registrations: [Registration] = []
    /// How long the bus may be away.
    private(set) var absence: BusAbsence?
    /// Is told when somebody wants the application to show itself, with the token for a window.
    var activated: (@Sendable (String?) -> Void)?
    /// Whether its consumers were told that nothing comes any more.
    private var hasEnded = false

    private struct Registration {
        var schemes: [String]
        let options: RegisterOptions
    }

    init(_ id: ApplicationID, _ link: BrokerLink) {
        self.id = id
        self.link = link
        gate = BrokerGate(link)
        deliveries = Deliveries(link)
        link.connection.onNameLost { [weak self] name in self?.lost(name) }
        guard link.broker != nil else { return }
        absence = BusAbsence(link.connection) { [weak self] error in self?.leave(error) }
    }

    // MARK: Registration

    /// Exports the object, owns the name, registers: in this order no request can come too early.
    func receive(_ schemes: [String], _ options: RegisterOptions) async throws(IPCError) -> [Handler] {
        let registration = Registration(schemes: schemes, options: options)
        let isFirst = registrations.isEmpty
        if isFirst { try await appear() }
        if hasEnded { deliveries.begin() }
        hasEnded = false
        do throws(IPCError) {
            let result = try await register(registration)
            registrations.append(registration)
            link.route.handles()
            return (result.conflicts ?? []).map { Handler($0) }
        } catch {
            if isFirst { await disappear() }
            throw error
        }
    }

    private func register(_ registration: Registration) async throws(IPCError) -> RegisterResult {
        // A second registration of the same claims changes nothing.
        try await link.call(
            Schemes1.register, (id.text, registration.schemes, registration.options), repeatable: true)
    }

    private func appear() async throws(IPCError) {
        link.connection.objects.export([interface(), desktopInterface()], at: try path())
        guard link.broker != nil else { return }
        try await gate.open { [weak self] owner in Task { await self?.registerAgain(with: owner) } }
        try await own()
    }

    /// Somebody else took the id while the bus was away, and gets what is sent to it from now on.
    private func lost(_ name: BusName) {
        guard name.text == id.text else { return }
        registrations = []
        hasEnded = true
        deliveries.end(with: IPCError(.notOwner, "\(id.text) was taken by another process while the bus was away"))
    }

    /// The bus stays away, and nobody waits for it any longer.
    private func leave(_ error: IPCError) {
        guard !registrations.isEmpty else { return }
        registrations = []
        hasEnded = true
        deliveries.end(with: error)
    }

    /// Who handles nothing does not keep the name from others.
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
        do throws(CallError) {
            if try await link.connection.requestName(name).isOwner { return }
        } catch { throw IPCError(error) }
        throw IPCError(.notOwner, "\(id.text) is in use by \(await owner(of: name)); end it, or choose another id")
    }

    /// Who owns a name, for people.
    private func owner(of name: BusName) async -> String {
        guard let owner = try? await link.connection.owner(of: name) else { return "another process" }
        let facts = try? await link.connection.call(
            MessageBus.getConnectionCredentials, on: .bus, at: MessageBus.path, owner.text)
        guard let process = facts?["ProcessID"].flatMap({ UInt32(dbusValue: $0) }) else { return owner.text }
        return "\(owner.text) (process \(process))"
    }

    /// A new broker, or one on a new bus, does not know of what is live here.
    private func registerAgain(with owner: BusName) async {
        for registration in registrations {
            do throws(IPCError) { _ = try await register(registration) } catch {
                // If this broker is gone as well, the next one is told.
                if gate.owner == owner {
                    hasEnded = true
                    deliveries.end(with: error)
                }
                return
            }
        }
        if !registrations.isEmpty { link.route.handles() }
    }

    /// Schemes that were given up are not registered again; empty means all.
    func forget(_ schemes: [String]) {
        let gone = Set(schemes.compactMap { try? URLScheme($0) })
        for place in registrations.indices {
            registrations[place].schemes.removeAll { scheme in
                schemes.isEmpty || (try? URLScheme(scheme)).map(gone.contains) ?? false
            }
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
                        self.deliveries.take(input.0, input.1, input.2, answer)
                    }
                }),
                URLHandler1.cancelURL.answered(later: { [weak self] id, call, answer in
                    guard let self else { return answer(.success(())) }
                    self.gate.admit(call) { refusal in
                        if refusal == nil { self.deliveries.cancel(id) }
                        answer(refusal.map { .failure($0) } ?? .success(()))
                    }
                }),
            ])
    }

    // MARK: End

    /// Gives up what was claimed for this process. The name stays, so that what is in hand can be answered.
    func stop() async throws(IPCError) {
        let schemes = registrations.flatMap(\.schemes)
        registrations = []
        hasEnded = true
        deliveries.end(with: nil)
        do throws(IPCError) { try await giveUp(schemes) } catch {
            // Live claims end with the connection, be it closed or lost.
            guard link.isClosed || !link.connection.isConnected else { throw error }
        }
    }

    private func giveUp(_ schemes: [String]) async throws(IPCError) {
        var live: [String] = []
        for scheme in schemes {
            var options = PageOptions()
            options.limit = Self.claimsAsked
            let claims = try await link.call(
                Schemes1.listHandlers, (scheme, options), repeatable: true, waitsForBus: false)
            let own = claims.first { $0.facts.application == id.text }
            // A stored claim would end with the live one that it goes with.
            if own?.facts.kind ?? Self.liveClaim == Self.liveClaim { live.append(scheme) }
        }
        guard !live.isEmpty else { return }
        try await link.call(Schemes1.unregister, (id.text, live, NoOptions()), repeatable: true, waitsForBus: false)
    }

    private static let liveClaim = "live"
    /// Rows of a page; more claims to one scheme than that are taken for none of ours.
    private static let claimsAsked: UInt32 = 1_000

    /// Nothing is received from now on; returns when the callbacks are out.
    func end() async {
        deliveries.end(with: nil)
        await deliveries.callbacks.finish()
        gate.close()
    }
}

extension BusName {
    init(_ id: ApplicationID) throws(IPCError) {
        do throws(NameError) { try self.init(id.text) } catch { throw IPCError(.invalidName, error.description) }
    }
}
