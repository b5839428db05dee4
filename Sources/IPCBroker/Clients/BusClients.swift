internal import IPCDBus
internal import IPCModel

struct Caller: Sendable {
    let name: BusName?
    let visibility: PasteboardVisibility
    /// The source of the program's requests, with its strength: proven, or only stated by the program.
    let source: Source
}

/// Keeps track of the programs on the bus: which names are owned, by which connections, and which connections leave. It
/// subscribes once to all owner changes, so no match rule is added and removed for each caller.
@DBusActor
final class BusClients {
    private let connection: Connection
    private var owners = NameOwners()
    private var subscription: Subscription?
    private var activatableSubscription: Subscription?
    /// The unique names on the bus, each with the time at which the broker learned of it (``ProcessIdentity/clock``). No
    /// state is kept for other names, because nothing would ever remove it.
    private var arrivals: [BusName: UInt64] = [:]
    /// The unique names that left while ``start()`` waited for the list of all names; `nil` once the list has arrived.
    private var leftDuringStart: Set<BusName>? = []
    private var confinements: [BusName: ConfinementState] = [:]
    private var uniquePasteboards: [BusName: Set<PasteboardName>] = [:]

    /// These run when a unique name has left the bus: first ``leaves``, then ``departed``.
    var leaves: @DBusActor (BusName) -> Void = { _ in }
    var departed: @DBusActor (BusName) -> Void = { _ in }
    /// Runs when a well-known name has lost its owner, even if it has a new one.
    var ownerLeft: @DBusActor (ApplicationID) -> Void = { _ in }
    /// Runs when a well-known name has a different owner, or none.
    var ownerChanged: @DBusActor (ApplicationID) -> Void = { _ in }

    /// Runs when the set of programs that the bus can start has changed.
    var activatableChanged: @DBusActor () -> Void = {}

    init(_ connection: Connection) { self.connection = connection }

    /// Reads the names on the bus. Call this before anything depends on them.
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
                if let name = try? BusName(name), leftDuringStart?.contains(name) == false { arrived(name) }
                continue
            }
            if let application = try? ApplicationID(name) { owners.list(application) }
        }
        leftDuringStart = nil
    }

    /// The number of programs on the bus that have called the broker.
    var callerCount: Int { confinements.count }

    /// Whether a caller has left the bus. A caller may leave even before the task of its call starts.
    func hasDeparted(_ caller: BusName?) -> Bool { caller.map { arrivals[$0] == nil } ?? false }

    /// Whether the application's bus name has an owner.
    func isRunning(_ application: ApplicationID) -> Bool { owners[application] != nil }

    /// The connection that owns the application's bus name; `nil` if there is none or it is not known yet.
    func knownOwner(of application: ApplicationID) -> BusName? {
        if case .known(let owner) = owners[application] { owner } else { nil }
    }

    /// Queries the bus for the owner of the application's bus name, in case a change has not been reported yet.
    func refreshedOwner(of application: ApplicationID) async throws -> BusName? {
        try await ask(try BusName(application.text), application)
    }

    private func ask(_ name: BusName, _ application: ApplicationID) async throws(CallError) -> BusName? {
        let question = owners.ask(application)
        do throws(CallError) {
            let owner = try await connection.owner(of: name)
            owners.answer(question, hasDeparted(owner) ? nil : owner)
            return owner
        } catch {
            owners.drop(question)
            throw error
        }
    }

    /// The connection that owns the application's bus name, if any. Queries the bus if it is not known yet.
    func owner(of application: ApplicationID) async throws(CallError) -> BusName? {
        switch owners[application] {
        case nil: return nil
        case .known(let owner): return owner
        case .unknown:
            guard let name = try? BusName(application.text) else { return nil }
            return try await ask(name, application)
        }
    }

    // MARK: Sandboxes

    private enum ConfinementState {
        case asking(Task<Confinement, any Error>)
        case known(Confinement, ProcessIdentity?)
    }

    /// Finds what a caller may see, and the source of its requests. The bus is queried for the sandbox of each
    /// connection only once. If a query fails, the caller gets fewer rights and a weaker source (I19).
    func caller(_ name: BusName?, stating application: ApplicationID? = nil) async -> Caller {
        let confinement = if let known = knownConfinement(of: name) { known } else { await confinement(of: name) }
        let owner =
            if let application, isRunning(application) { try? await owner(of: application) } else { nil as BusName? }
        let isOwner = owner != nil && owner == name
        return Caller(
            name: name, visibility: visibility(of: name, in: confinement),
            source: Self.source(stated: application, isOwner: isOwner, confinement))
    }

    private static func source(stated: ApplicationID?, isOwner: Bool, _ confinement: Confinement) -> Source {
        // The id of a sandbox takes precedence over a stated id, unless the caller owns the stated id on the bus.
        if let stated, isOwner { return Source(application: stated.text, strength: .owned) }
        if case .sandbox(let id) = confinement { return Source(application: id, strength: .sandboxed) }
        return Source(application: stated?.text ?? "", strength: stated == nil ? .unknown : .claimed)
    }

    /// The pasteboards that a caller may see; `nil` if the bus must be queried first.
    func knownVisibility(of caller: BusName?) -> PasteboardVisibility? {
        knownConfinement(of: caller).map { visibility(of: caller, in: $0) }
    }

    /// Notes that a caller created a unique pasteboard. The caller can then see this pasteboard even from a sandbox.
    func made(_ name: PasteboardName, by caller: BusName) {
        if !hasDeparted(caller) { uniquePasteboards[caller, default: []].insert(name) }
    }

    func removed(_ name: PasteboardName) {
        for maker in uniquePasteboards.keys where uniquePasteboards[maker]?.remove(name) != nil {
            if uniquePasteboards[maker]?.isEmpty == true { uniquePasteboards[maker] = nil }
        }
    }

    /// Returns the names of the unique pasteboards that a caller created, and forgets them.
    func takeUniquePasteboards(of caller: BusName) -> Set<PasteboardName> {
        uniquePasteboards.removeValue(forKey: caller) ?? []
    }

    private func visibility(of caller: BusName?, in confinement: Confinement) -> PasteboardVisibility {
        let made = { caller.flatMap { self.uniquePasteboards[$0] } ?? [] }
        return switch confinement {
        case .free: .whole
        case .sandbox(let id): .sandbox(id, made: made())
        case .hidden: .sandbox(nil, made: made())
        }
    }

    private func knownConfinement(of caller: BusName?) -> Confinement? {
        guard let caller else { return .hidden }
        if case .known(let confinement, _) = confinements[caller] { return confinement }
        return nil
    }

    /// The account that is charged for a caller's requests with this source.
    func payer(_ source: Source, _ caller: BusName?) -> Payer {
        Payer(source, process: process(of: caller), connection: caller?.text ?? "")
    }

    /// The process of a caller; `nil` if it is unknown, or if the caller has not been examined yet.
    func process(of caller: BusName?) -> ProcessIdentity? {
        if let caller, case .known(_, let process) = confinements[caller] { process } else { nil }
    }

    /// Finds the sandbox of a caller. Simultaneous calls of the same caller share one query to the bus.
    private func confinement(of caller: BusName?) async -> Confinement {
        guard let caller else { return .hidden }
        switch confinements[caller] {
        case .known(let confinement, _): return confinement
        case .asking(let task): return await (try? task.value) ?? .hidden
        case nil:
            // The bus no longer knows this caller, and nothing would ever remove an entry for it.
            if hasDeparted(caller) { return .hidden }
            let task = DBusActor.task { await self.look(at: caller) }
            confinements[caller] = .asking(task)
            return await (try? task.value) ?? .hidden
        }
    }

    /// Examines a caller, and remembers its sandbox and process as long as the connection exists. A failed query gives
    /// the caller the least privilege (I19) and is not remembered, so the caller's next call tries again.
    ///
    /// A process that started after the connection is not the caller's. The caller's process has exited and left its
    /// connection to another one, and its number has been reused.
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
        // Read last: if it is still the caller's process now, it was when its files were examined.
        let process = credentials.process.flatMap { ProcessIdentity(number: $0) }
            .flatMap { process in arrivals[caller].flatMap { process.start <= $0 ? process : nil } }
        let confinement = process != nil || credentials.namesSandbox ? found : .hidden
        if !hasDeparted(caller) { confinements[caller] = .known(confinement, process) }
        return confinement
    }

    /// Forgets the owner of a name, because a failed delivery showed that the owner has left before the bus said so.
    func forget(_ application: ApplicationID, owner: BusName) {
        owners.forget(application, owner: owner)
    }

    /// The names for which the bus can start a program. Not cached: Debian bookworm's bus does not report changes.
    func activatable() async -> Set<String> {
        Set((try? await connection.listActivatableNames()) ?? [])
    }

    private func changed(_ name: String, old: String, new: String) {
        if name.hasPrefix(":") {
            guard let name = try? BusName(name) else { return }
            if new.isEmpty { left(name) } else { arrived(name) }
            return
        }
        guard let application = try? ApplicationID(name) else { return }
        if new.isEmpty {
            owners.change(application, to: nil)
        } else if let owner = try? BusName(new) {
            owners.change(application, to: owner)
        }
        if !old.isEmpty { ownerLeft(application) }
        ownerChanged(application)
    }

    private func arrived(_ name: BusName) {
        if arrivals[name] == nil { arrivals[name] = ProcessIdentity.clock }
    }

    private func left(_ name: BusName) {
        leaves(name)
        arrivals[name] = nil
        leftDuringStart?.insert(name)
        confinements[name] = nil
        departed(name)
        uniquePasteboards[name] = nil
    }
}
