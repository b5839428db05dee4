internal import IPCDBus
internal import IPCModel

/// Who is on the bus: which names are owned, by whom, and who has left.
///
/// One subscription to all changes of owners serves source checks, live claims, deliveries and unique pasteboards, so
/// no match rule is added and removed per caller.
@DBusActor
final class BusClients {
    private enum Owner {
        /// On the bus; asked for when it matters.
        case unknown
        case known(BusName)
    }

    private let connection: Connection
    private var owners: [ApplicationID: Owner] = [:]
    private var subscription: Subscription?
    private var activatableSubscription: Subscription?
    /// The unique names on the bus. State is kept for those alone: the end of any other one was handled before, and nothing
    /// would remove what is kept for it then.
    private var present: Set<BusName> = []
    /// The unique names that have left since the bus was asked for all names, until its answer is here.
    private var leftDuringStart: Set<BusName>? = []
    private var confinements: [BusName: ConfinementState] = [:]
    private var uniquePasteboards: [BusName: Set<PasteboardName>] = [:]

    /// A unique name has left the bus; still nobody is told.
    var leaves: @DBusActor (BusName) -> Void = { _ in }
    /// A unique name left the bus.
    var departed: @DBusActor (BusName) -> Void = { _ in }
    /// A well-known name was given up or changed hands.
    var ownerLeft: @DBusActor (ApplicationID) -> Void = { _ in }
    /// A well-known name belongs to somebody else now, or to nobody.
    var ownerChanged: @DBusActor (ApplicationID) -> Void = { _ in }

    /// The bus can start other programs than before.
    var activatableChanged: @DBusActor () -> Void = {}

    init(_ connection: Connection) { self.connection = connection }

    /// Learns who is there. Call before anything depends on it.
    func start() async throws {
        subscription = try await connection.subscribe(to: MessageBus.nameOwnerChanged, from: .bus) {
            [weak self] change, _ in
            self?.changed(change.0, old: change.1, new: change.2)
        }
        activatableSubscription = try await connection.subscribe(
            to: MessageBus.activatableServicesChanged, from: .bus
        ) { [weak self] _, _ in self?.activatableChanged() }
        for name in try await connection.listNames() {
            guard !name.hasPrefix(":") else {
                if let name = try? BusName(name), leftDuringStart?.contains(name) == false { present.insert(name) }
                continue
            }
            guard let application = try? ApplicationID(name), owners[application] == nil else { continue }
            owners[application] = .unknown
        }
        leftDuringStart = nil
    }

    /// Whether a caller has left the bus. Its end may be known before the task of its call has begun.
    func hasDeparted(_ caller: BusName?) -> Bool { caller.map { !present.contains($0) } ?? false }

    /// Whether somebody owns the application's bus name.
    func isRunning(_ application: ApplicationID) -> Bool { owners[application] != nil }

    /// The connection that owns the application's bus name, where nothing needs to be asked.
    func knownOwner(of application: ApplicationID) -> BusName? {
        if case .known(let owner) = owners[application] { owner } else { nil }
    }

    /// The same as the bus says it now, for a name whose change may not have been told yet.
    func refreshedOwner(of application: ApplicationID) async throws -> BusName? {
        let owner = try await connection.owner(of: try BusName(application.text))
        if let owner, owners[application] == nil, !hasDeparted(owner) { owners[application] = .known(owner) }
        return owner
    }

    /// The connection that owns the application's bus name.
    func owner(of application: ApplicationID) async throws(CallError) -> BusName? {
        switch owners[application] {
        case nil: return nil
        case .known(let owner): return owner
        case .unknown:
            guard let name = try? BusName(application.text) else { return nil }
            let found = try await connection.owner(of: name)
            // A change that came meanwhile is newer than this answer only if it took the name away.
            if case .unknown = owners[application] { owners[application] = found.map { .known($0) } }
            return found
        }
    }

    // MARK: Sandboxes

    private enum ConfinementState {
        case asking(Task<Confinement, any Error>)
        case known(Confinement, ProcessIdentity?)
    }

    /// What of the pasteboards a caller sees. The bus is asked once for each connection.
    func visibility(of caller: BusName?) async -> PasteboardVisibility {
        visibility(of: caller, in: await confinement(of: caller))
    }

    /// The same, when nothing needs to be asked.
    func knownVisibility(of caller: BusName?) -> PasteboardVisibility? {
        knownConfinement(of: caller).map { visibility(of: caller, in: $0) }
    }

    /// Notes that a caller made a pasteboard with a unique name, which it sees whatever sandbox it is in.
    func made(_ name: PasteboardName, by caller: BusName) {
        if !hasDeparted(caller) { uniquePasteboards[caller, default: []].insert(name) }
    }

    /// Notes that a pasteboard with a unique name is gone.
    func removed(_ name: PasteboardName, madeBy caller: BusName) {
        uniquePasteboards[caller]?.remove(name)
        if uniquePasteboards[caller]?.isEmpty == true { uniquePasteboards[caller] = nil }
    }

    private func visibility(of caller: BusName?, in confinement: Confinement) -> PasteboardVisibility {
        if case .free = confinement { return .whole }
        let made = caller.flatMap { uniquePasteboards[$0] } ?? []
        return switch confinement {
        case .free: .whole
        case .sandbox(let id): .sandbox(id, made: made)
        case .hidden: .sandbox(nil, made: made)
        }
    }

    private func knownConfinement(of caller: BusName?) -> Confinement? {
        guard let caller else { return .hidden }
        if case .known(let confinement, _) = confinements[caller] { return confinement }
        return nil
    }

    /// The account of a caller whose requests have this source.
    func payer(_ source: Source, _ caller: BusName?) -> Payer {
        Payer(source, process: process(of: caller), connection: caller?.text ?? "")
    }

    /// The process of a caller, if the broker has looked at it.
    func process(of caller: BusName?) -> ProcessIdentity? {
        if let caller, case .known(_, let process) = confinements[caller] { process } else { nil }
    }

    /// The sandbox of a caller. Who comes while the bus is being asked waits for the same answer.
    private func confinement(of caller: BusName?) async -> Confinement {
        guard let caller else { return .hidden }
        switch confinements[caller] {
        case .known(let confinement, _): return confinement
        case .asking(let task): return await (try? task.value) ?? .hidden
        case nil:
            // Nobody can be asked about it any more, and nobody would forget the answer.
            if hasDeparted(caller) { return .hidden }
            let task = DBusActor.task { await self.look(at: caller) }
            confinements[caller] = .asking(task)
            return await (try? task.value) ?? .hidden
        }
    }

    /// What was found is kept while the connection lives. A look-up that failed is least privilege (I19), and is not
    /// kept: the next call asks again.
    private func look(at caller: BusName) async -> Confinement {
        let facts = try? await connection.call(
            MessageBus.getConnectionCredentials, on: .bus, at: MessageBus.path, caller.text)
        guard let facts else {
            confinements[caller] = nil
            return .hidden
        }
        let credentials = Confinement.Credentials(facts)
        let found =
            if let quick = Confinement.quick(credentials) { quick } else {
                await Background.run { Confinement(of: credentials) }
            }
        let process = credentials.process.flatMap { ProcessIdentity(number: $0) }
        if !hasDeparted(caller) { confinements[caller] = .known(found, process) }
        return found
    }

    /// A delivery found that the connection is gone, before the bus told us.
    func forget(_ application: ApplicationID, owner: BusName) {
        if case .known(owner) = owners[application] { owners[application] = nil }
    }

    /// How strong the caller's word is that it speaks for an application. A failed look-up is the weaker answer (I19).
    func source(stated: ApplicationID?, by caller: BusName?) async -> Source {
        let confinement = await confinement(of: caller)
        let owner = if let stated, isRunning(stated) { try? await owner(of: stated) } else { nil as BusName? }
        return Self.source(stated: stated, isOwner: owner != nil && owner == caller, in: confinement)
    }

    /// What a sandbox attests counts for more than what its program says, unless the bus attests that too.
    private static func source(stated: ApplicationID?, isOwner: Bool, in confinement: Confinement) -> Source {
        if let stated, isOwner { return Source(application: stated.text, strength: .owned) }
        if case .sandbox(let id) = confinement { return Source(application: id, strength: .sandboxed) }
        return Source(application: stated?.text ?? "", strength: stated == nil ? .unknown : .claimed)
    }

    /// The names that the bus can start a program for. Not kept: bookworm's daemon does not tell of changes.
    func activatable() async -> Set<String> {
        Set((try? await connection.listActivatableNames()) ?? [])
    }

    private func changed(_ name: String, old: String, new: String) {
        if name.hasPrefix(":") {
            guard let name = try? BusName(name) else { return }
            if new.isEmpty { left(name) } else { present.insert(name) }
            return
        }
        guard let application = try? ApplicationID(name) else { return }
        if new.isEmpty {
            owners[application] = nil
        } else if let owner = try? BusName(new) {
            owners[application] = .known(owner)
        }
        if !old.isEmpty { ownerLeft(application) }
        ownerChanged(application)
    }

    private func left(_ name: BusName) {
        leaves(name)
        present.remove(name)
        leftDuringStart?.insert(name)
        confinements[name] = nil
        uniquePasteboards[name] = nil
        departed(name)
    }
}
