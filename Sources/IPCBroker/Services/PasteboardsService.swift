internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Pasteboards1`: find, make, remove, list and watch pasteboards.
@DBusActor
final class PasteboardsService {
    private let store: Store
    private let connection: Connection
    private let clients: BusClients
    private let watchers: ChangeWatchers
    private let limits: Limits
    /// Unique pasteboards end with the connection that made them.
    private var uniqueOf: [BusName: Set<PasteboardName>] = [:]

    init(
        store: Store, connection: Connection, clients: BusClients, watchers: ChangeWatchers, limits: Limits
    ) {
        self.clients = clients
        self.store = store
        self.connection = connection
        self.watchers = watchers
        self.limits = limits
    }

    static func path(of name: PasteboardName) throws(NameError) -> ObjectPath {
        try Pasteboards1.root.appending(name.pathElement)
    }

    func getPasteboard(_ input: (String, GetPasteboardOptions), _ call: IncomingCall) async throws -> ObjectPath {
        let name = try PasteboardName(input.0)
        let persistent = input.1.persistent ?? (name != .general)
        guard input.1.create ?? false else {
            guard try await store.commit({ try $0.pasteboard(name) }) != nil else {
                throw PasteboardError.noSuchPasteboard(name)
            }
            return try Self.path(of: name)
        }
        guard !name.isUnique else {
            throw IPCError(.invalidName, "a pasteboard “\(name)” is made by CreateUniquePasteboard only")
        }
        let isNew = try await store.commit { try $0.createPasteboard(name, persistent: persistent).isNew }
        if isNew { try call.emitAfterReply(Pasteboards1.pasteboardAdded, from: Broker1.path, name.text) }
        return try Self.path(of: name)
    }

    func createUnique(_ call: IncomingCall) async throws -> (String, ObjectPath) {
        let name = PasteboardName.unique()
        try await store.commit { _ = try $0.createPasteboard(name, persistent: false) }
        if let maker = call.sender {
            uniqueOf[maker, default: []].insert(name)
            if clients.hasDeparted(maker) { callerLeft(maker) }
        }
        try call.emitAfterReply(Pasteboards1.pasteboardAdded, from: Broker1.path, name.text)
        return (name.text, try Self.path(of: name))
    }

    func removePasteboard(_ text: String, _ call: IncomingCall) async throws {
        let name = try PasteboardName(text)
        try await store.commit { _ = try $0.removePasteboard(name) }
        if name.isUnique { for maker in uniqueOf.keys { uniqueOf[maker]?.remove(name) } }
        try call.emitAfterReply(Pasteboards1.pasteboardRemoved, from: Broker1.path, name.text)
    }

    func listPasteboards(_ options: ListPasteboardsOptions, _ call: IncomingCall) async throws -> [PasteboardRow] {
        let most = try limits.page(options.limit)
        let after = try options.after.flatMap { try $0.isEmpty ? nil : PasteboardName($0) }
        return try await store.commit { transaction in
            try transaction.pasteboards(after: after, limit: most, prefix: options.prefix ?? "").map { pasteboard in
                let version = try transaction.facts(of: pasteboard.name)
                var facts = PasteboardFacts()
                facts.persistent = pasteboard.isPersistent
                facts.itemCount = UInt32(version.itemCount)
                facts.size = version.byteCount
                facts.time = version.time
                return PasteboardRow(name: pasteboard.name.text, changeCount: pasteboard.changeCount, facts: facts)
            }
        }
    }

    func waitForChange(
        _ input: ([String], UInt64, WaitOptions), _ call: IncomingCall
    ) async throws -> ChangeWatchers.Answer {
        let names = Set(try input.0.map { try PasteboardName($0) })
        let deadline =
            ContinuousClock.now
            + .milliseconds(Int(input.2.timeout ?? UInt32(clamping: limits.waitTimeoutMilliseconds)))
        let since = input.1
        return try await watchers.wait(for: names, since: since, until: deadline, by: call.sender) {
            let past = try await self.store.commit { try $0.changes(of: Array(names), since: since) }
            guard !past.changed.isEmpty || past.mustResynchronize else { return nil }
            var facts = ChangeFacts()
            if past.mustResynchronize { facts.resync = true }
            let rows = past.changed.map { ChangedPasteboard(name: $0.name.text, changeCount: $0.changeCount) }
            return (past.latest, rows, facts)
        }
    }

    /// The connection that made unique pasteboards is gone; those that were not set persistent go with it.
    func callerLeft(_ caller: BusName) {
        guard let names = uniqueOf.removeValue(forKey: caller) else { return }
        DBusActor.task {
            for name in names {
                let isGone = try await self.store.commit { transaction in
                    guard try transaction.pasteboard(name)?.isPersistent == false else { return false }
                    _ = try transaction.removePasteboard(name)
                    return true
                }
                if isGone { try self.connection.emit(Pasteboards1.pasteboardRemoved, from: Broker1.path, name.text) }
            }
        }
    }

    var exported: ExportedInterface {
        ExportedInterface(
            Pasteboards1.description,
            methods: [
                Pasteboards1.getPasteboard.answered { try await self.getPasteboard($0, $1) },
                Pasteboards1.createUniquePasteboard.answered { _, call in try await self.createUnique(call) },
                Pasteboards1.removePasteboard.answered { try await self.removePasteboard($0.0, $1) },
                Pasteboards1.listPasteboards.answered { try await self.listPasteboards($0, $1) },
                Pasteboards1.waitForChange.answered { try await self.waitForChange($0, $1) },
            ])
    }
}
