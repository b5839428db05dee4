/// The names that a connection owns, and the names whose owners it follows.
@DBusActor
final class NameRegistry {
    struct Watch {
        let number: UInt64
        /// Receives the old and the new owner on each change. This handler is set once the current owner is known.
        var changed: @DBusActor (BusName?, BusName?) -> Void = { _, _ in }
    }

    private(set) var owned: [BusName: UInt32] = [:]
    private var owners: [BusName: BusName] = [:]
    /// The connections that owned a watched name before, since it is watched.
    private var formerOwners: [BusName: Set<BusName>] = [:]
    private var watches: [BusName: [Watch]] = [:]
    /// Called with each name that this connection owned before a reconnect but not after it.
    var lostHandlers: [@DBusActor (BusName) -> Void] = []
    private var last: UInt64 = 0

    func owner(of name: BusName) -> BusName? { owners[name] }

    /// Whether a connection may answer a call to a name: it owns the name or owned it before, because a service that
    /// another one has replaced still answers its calls. `nil` if the owner is not known.
    func mayAnswer(_ sender: BusName, for name: BusName) -> Bool? {
        owners[name].map { $0 == sender || formerOwners[name]?.contains(sender) ?? false }
    }

    /// The number of `NameOwnerChanged` signals received for each watched name. A newer signal may be handled before
    /// the answer of `GetNameOwner`, so the answer is used only if this number has not changed during the call.
    private(set) var signalled: [BusName: UInt64] = [:]

    func signal(_ name: BusName, from former: BusName?, to owner: BusName?) {
        guard watches[name] != nil else { return }
        signalled[name, default: 0] += 1
        if let former { formerOwners[name, default: []].insert(former) }
        learn(name, owner: owner)
    }

    func own(_ name: BusName, flags: UInt32) { owned[name] = flags }
    func disown(_ name: BusName) { owned[name] = nil }

    func watch(_ name: BusName) -> UInt64 {
        last += 1
        watches[name, default: []].append(Watch(number: last))
        return last
    }

    func setHandler(_ name: BusName, _ number: UInt64, _ changed: @escaping @DBusActor (BusName?, BusName?) -> Void) {
        guard let index = watches[name]?.firstIndex(where: { $0.number == number }) else { return }
        watches[name]?[index].changed = changed
    }

    func unwatch(_ name: BusName, _ number: UInt64) {
        watches[name]?.removeAll { $0.number == number }
        guard watches[name]?.isEmpty ?? true else { return }
        (watches[name], owners[name], formerOwners[name], signalled[name]) = (nil, nil, nil, nil)
    }

    /// Records the owner of a watched name. The bus sends its messages in order, so the last reported owner is right.
    func learn(_ name: BusName, owner: BusName?) {
        guard let followed = watches[name] else { return }
        let former = owners[name]
        owners[name] = owner
        guard former != owner else { return }
        for watch in followed { watch.changed(former, owner) }
    }

    /// Records that the bus has disconnected, so that no name has an owner any more.
    func lost() {
        formerOwners = [:]
        for name in Array(owners.keys) { learn(name, owner: nil) }
    }

    /// The names after a reconnect: the owners of watched names, and the names that were lost to other connections.
    struct Restored {
        fileprivate(set) var owners: [BusName: BusName] = [:]
        fileprivate(set) var lost: [BusName] = []
    }

    /// Requests the owned names again after a reconnect, and looks up the owners of the watched names. A name is lost
    /// if another connection has requested it first, such as a second instance of this program, started by the new bus.
    func restore(
        request: (String, UInt32) async throws(CallError) -> UInt32,
        owner: (BusName) async throws(CallError) -> BusName?
    ) async throws(CallError) -> Restored {
        var restored = Restored()
        for (name, flags) in owned {
            let result = NameRequestResult(rawValue: try await request(name.text, flags))
            if result?.isOwner != true, result != .inQueue { restored.lost.append(name) }
        }
        for name in Array(watches.keys) { restored.owners[name] = try await owner(name) }
        return restored
    }

    /// Notifies watchers of the current owners, and reports lost names.
    func announce(_ restored: Restored) {
        for name in restored.lost where owned.removeValue(forKey: name) != nil {
            for handler in lostHandlers { handler(name) }
        }
        for (name, owner) in restored.owners where owners[name] == nil { learn(name, owner: owner) }
    }
}
