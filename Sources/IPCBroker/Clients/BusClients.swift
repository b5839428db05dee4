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
    private var owners: [String: Owner] = [:]
    private var subscription: Subscription?
    private var departures = Departures()

    /// A unique name left the bus.
    var departed: @DBusActor (BusName) -> Void = { _ in }
    /// A well-known name was given up or changed hands.
    var ownerChanged: @DBusActor (ApplicationID) -> Void = { _ in }

    init(_ connection: Connection) { self.connection = connection }

    /// Learns who is there. Call before anything depends on it.
    func start() async throws {
        subscription = try await connection.subscribe(to: MessageBus.nameOwnerChanged, from: .bus) {
            [weak self] change, _ in
            self?.changed(change.0, old: change.1, new: change.2)
        }
        for name in try await connection.listNames() where !name.hasPrefix(":") && owners[name] == nil {
            owners[name] = .unknown
        }
    }

    /// Whether a caller has left the bus. Its end may be known before the task of its call has begun.
    func hasDeparted(_ caller: BusName?) -> Bool { caller.map(departures.contains) ?? false }

    /// Whether somebody owns the application's bus name.
    func isRunning(_ application: ApplicationID) -> Bool { owners[application.text] != nil }

    /// The connection that owns the application's bus name.
    func owner(of application: ApplicationID) async throws(CallError) -> BusName? {
        switch owners[application.text] {
        case nil: return nil
        case .known(let owner): return owner
        case .unknown:
            guard let name = try? BusName(application.text) else { return nil }
            let found = try await connection.owner(of: name)
            // A change that came meanwhile is newer than this answer only if it took the name away.
            if case .unknown = owners[application.text] { owners[application.text] = found.map { .known($0) } }
            return found
        }
    }

    /// A delivery found that the connection is gone, before the bus told us.
    func forget(_ application: ApplicationID, owner: BusName) {
        if case .known(owner) = owners[application.text] { owners[application.text] = nil }
    }

    /// How strong the caller's word is that it speaks for an application. A failed look-up is the weaker answer (I19).
    func source(stated: ApplicationID?, by caller: BusName?) async -> Source {
        guard let stated else { return Source(application: "", strength: .unknown) }
        let owner = isRunning(stated) ? try? await owner(of: stated) : nil
        return Source(application: stated.text, strength: owner != nil && owner == caller ? .owned : .claimed)
    }

    /// The same, when nothing needs to be asked.
    func knownSource(stated: ApplicationID?, by caller: BusName?) -> Source? {
        guard let stated else { return Source(application: "", strength: .unknown) }
        switch owners[stated.text] {
        case nil: return Source(application: stated.text, strength: .claimed)
        case .known(let owner):
            return Source(application: stated.text, strength: owner == caller ? .owned : .claimed)
        case .unknown: return nil
        }
    }

    /// The names that the bus can start a program for. Not kept: bookworm's daemon does not tell of changes.
    func activatable() async -> Set<String> {
        Set((try? await connection.listActivatableNames()) ?? [])
    }

    private func changed(_ name: String, old: String, new: String) {
        if name.hasPrefix(":") {
            if new.isEmpty, let name = try? BusName(name) {
                departures.add(name)
                departed(name)
            }
            return
        }
        if new.isEmpty { owners[name] = nil } else if let owner = try? BusName(new) { owners[name] = .known(owner) }
        if !old.isEmpty, let application = try? ApplicationID(name) { ownerChanged(application) }
    }
}

/// The connections that left last. The bus never gives a unique name out again.
private struct Departures {
    private var names: Set<BusName> = []
    private var order: [BusName] = []
    private var next = 0

    /// Far more than leave while one call is taken in.
    private static let most = 4_096

    func contains(_ name: BusName) -> Bool { names.contains(name) }

    mutating func add(_ name: BusName) {
        names.insert(name)
        guard order.count == Self.most else { return order.append(name) }
        names.remove(order[next])
        order[next] = name
        next = (next + 1) % Self.most
    }
}
