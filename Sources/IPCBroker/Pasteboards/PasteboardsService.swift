internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Pasteboards1`: finds, creates, removes, lists and watches pasteboards.
@DBusActor
final class PasteboardsService {
    private let store: Store
    private let connection: Connection
    private let clients: BusClients
    private let watchers: ChangeWatchers
    private let arrivals: ArrivalOrder
    private let promises: PromiseFetcher
    private let room: AnswerRoom
    private let limits: Limits

    init(
        store: Store, connection: Connection, clients: BusClients, watchers: ChangeWatchers,
        arrivals: ArrivalOrder, promises: PromiseFetcher, room: AnswerRoom, limits: Limits
    ) {
        (self.arrivals, self.promises, self.room) = (arrivals, promises, room)
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
        try await clients.caller(call.sender).visibility.check(name)
        let persistent = input.1.persistent ?? name.isPersistentByDefault
        guard input.1.create ?? false else {
            guard try await store.commit({ try $0.pasteboard(name) }) != nil else {
                throw PasteboardError.noSuchPasteboard(name)
            }
            return try Self.path(of: name)
        }
        try name.checkCreation()
        let source = try await source(input.1.sourceApplication, call)
        let made = try await store.commit { try $0.createPasteboard(name, persistent: persistent, source: source) }
        if made.isNew { try call.announceAdded(ManagedPasteboard(made.pasteboard, itemCount: 0)) }
        return try Self.path(of: name)
    }

    func createUnique(
        _ options: UniquePasteboardOptions, _ call: IncomingCall
    ) async throws -> (String, ObjectPath) {
        let name = PasteboardName.unique()
        let source = try await source(options.sourceApplication, call)
        let made = try await store.commit { try $0.createPasteboard(name, persistent: false, source: source) }
        if let maker = call.sender {
            clients.made(name, by: maker)
            if clients.hasDeparted(maker) { end([name]) }
        }
        try call.announceAdded(ManagedPasteboard(made.pasteboard, itemCount: 0))
        return (name.text, try Self.path(of: name))
    }

    private func source(_ stated: String?, _ call: IncomingCall) async throws -> Source {
        await clients.caller(call.sender, stating: try stated.map { try ApplicationID($0) }).source
    }

    func removePasteboard(_ text: String, _ call: IncomingCall) async throws {
        let name = try PasteboardName(text)
        try await arrivals.inTurn(of: call.sender) { try await clients.caller(call.sender).visibility.check(name) }
        try await store.commit { _ = try $0.removePasteboard(name) }
        if name.isUnique { clients.removed(name) }
        try call.announceRemoved(name)
    }

    func listPasteboards(_ options: ListPasteboardsOptions, _ call: IncomingCall) async throws -> [PasteboardRow] {
        let most = try limits.page(options.limit)
        let after = try options.after.flatMap { try $0.isEmpty ? nil : PasteboardName($0) }
        let visibility = await clients.caller(call.sender).visibility
        let prefix = options.prefix ?? ""
        try await arrivals.turn(ofList: call, in: room)
        return try await store.commit { transaction in
            try transaction.pasteboards(seenBy: visibility, after: after, limit: most, prefix: prefix)
                .map { PasteboardRow($0, try transaction.factsUnlessDamaged(of: $0.name)) }
        }
    }

    /// All pasteboards that the caller sees. There are no pages, so with more than a page of them the call fails.
    private func managedObjects(_ call: IncomingCall) async throws -> [ObjectPath: ObjectManager.Interfaces] {
        let visibility = await clients.caller(call.sender).visibility
        let most = Int(limits.introspectedPasteboards)
        try await arrivals.turn(ofList: call, in: room)
        let boards = try await store.commit { transaction in
            try transaction.pasteboards(seenBy: visibility, after: nil, limit: most + 1, prefix: "").map {
                ManagedPasteboard($0, itemCount: try transaction.factsUnlessDamaged(of: $0.name)?.itemCount)
            }
        }
        try limits.check(\.introspectedPasteboards, request: UInt64(boards.count))
        return Dictionary(uniqueKeysWithValues: try boards.map { (try Self.path(of: $0.name), $0.interfaces) })
    }

    /// Adds the call to ``ChangeWatchers``, where it waits for a change without occupying a task.
    private func waitForChange(
        _ input: ([String], UInt64, WaitOptions), _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<ChangeWatchers.Answer>
    ) async throws {
        try limits.check(\.namesPerCall, request: UInt64(input.0.count))
        let names = Set(try input.0.map { try PasteboardName($0) })
        let visibility = await clients.caller(call.sender).visibility
        for name in names { try visibility.check(name) }
        watch(names, since: input.1, for: input.2.timeout, call, answer)
    }

    private func watch(
        _ names: Set<PasteboardName>, since: UInt64, for timeout: UInt32?, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<ChangeWatchers.Answer>
    ) {
        let time = limits.waitTime(stated: timeout)
        watchers.wait(for: names, since: since, until: .now + .milliseconds(Int(time)), by: call.sender) { report in
            self.store.commit(about: names.count == 1 ? names.first : nil) {
                try $0.changes(of: Array(names), since: since)
            } then: {
                call.endTurn()
                report($0.map(Self.answer))
            }
        } then: {
            answer($0)
        }
    }

    /// The answer that reports earlier changes; `nil` if there are none.
    private static func answer(_ past: Changes) -> ChangeWatchers.Answer? {
        guard !past.changed.isEmpty || past.mustResynchronize else { return nil }
        var facts = ChangeFacts()
        if past.mustResynchronize { facts.resync = true }
        let rows = past.changed.map { ChangedPasteboard(name: $0.name.text, changeCount: $0.changeCount) }
        return (past.latest, rows, facts)
    }

    /// Removes the unique pasteboards of a connection that has left, unless they were made persistent.
    func callerLeft(_ caller: BusName) { end(clients.takeUniquePasteboards(of: caller)) }

    private func end(_ names: Set<PasteboardName>) {
        guard !names.isEmpty else { return }
        DBusActor.task {
            for name in names {
                let isGone = try await self.store.commit { transaction in
                    guard try transaction.pasteboard(name)?.isPersistent == false else { return false }
                    _ = try transaction.removePasteboard(name)
                    return true
                }
                if isGone { try self.connection.announceRemoved(name) }
            }
        }
    }

    /// `org.freedesktop.DBus.ObjectManager`, on the parent of the pasteboards.
    var objectManager: ExportedInterface {
        ExportedInterface(
            ObjectManager.description,
            methods: [ObjectManager.getManagedObjects.answered { _, call in try await self.managedObjects(call) }])
    }

    var exported: ExportedInterface {
        ExportedInterface(
            Pasteboards1.description,
            methods: [
                Pasteboards1.getPasteboard.answered { try await self.getPasteboard($0, $1) },
                Pasteboards1.createUniquePasteboard.answered { try await self.createUnique($0, $1) },
                Pasteboards1.removePasteboard.answered { try await self.removePasteboard($0.0, $1) },
                Pasteboards1.listPasteboards.answered { try await self.listPasteboards($0, $1) },
                Pasteboards1.waitForChange.answered(later: { try await self.waitForChange($0, $1, $2) }),
                Pasteboards1.fetchPromises.answered { _, call in
                    call.endTurn()
                    return try await self.promises.fetchAll(of: call.sender)
                },
                Pasteboards1.skipChangeCounts.answered { input, call in
                    guard await self.clients.caller(call.sender).visibility.isWhole else {
                        throw IPCError(
                            .accessDenied, "a sandboxed caller cannot skip the change counts of all pasteboards")
                    }
                    return try await self.store.commit { try $0.skipChangeCounts(to: input.0) }
                },
            ])
    }
}

extension StoreTransaction {
    /// A page of the pasteboards that a caller may see, ordered by name. Other pasteboards are not read.
    fileprivate borrowing func pasteboards(
        seenBy visibility: PasteboardVisibility, after: PasteboardName?, limit: Int, prefix: String
    ) throws -> [Board] {
        guard let places = visibility.places(beginning: prefix) else {
            return try pasteboards(after: after, limit: limit, prefix: prefix)
        }
        var found: [PasteboardName: Board] = [:]
        for name in places.names where after.map({ $0 < name }) ?? true {
            guard found.count < limit else { break }
            if let pasteboard = try pasteboardUnlessDamaged(name) { found[name] = pasteboard }
        }
        if let prefix = places.prefix {
            for pasteboard in try pasteboards(after: after, limit: limit, prefix: prefix) {
                found[pasteboard.name] = pasteboard
            }
        }
        return found.values.sorted { $0.name < $1.name }.prefix(max(0, limit)).map { $0 }
    }

    private borrowing func pasteboardUnlessDamaged(_ name: PasteboardName) throws -> Board? {
        do { return try pasteboard(name) } catch PasteboardError.damaged { return nil }
    }

    /// Information about the current version; `nil` if it is damaged, so that lists still show other pasteboards (I5).
    fileprivate borrowing func factsUnlessDamaged(of name: PasteboardName) throws -> IPCStore.VersionFacts? {
        do { return try facts(of: name) } catch PasteboardError.damaged { return nil }
    }
}

extension PasteboardRow {
    /// - Parameter version: `nil` if the current version is damaged.
    init(_ pasteboard: Board, _ version: IPCStore.VersionFacts?) {
        var facts = PasteboardFacts()
        facts.persistent = pasteboard.isPersistent
        facts.historyLimit = pasteboard.historyLimit
        facts.versions = UInt32(pasteboard.versions.count)
        if let version {
            facts.itemCount = UInt32(version.itemCount)
            facts.size = version.byteCount
            facts.time = version.time
            facts.sensitive = version.isSensitive ? true : nil
            facts.once = version.isOnce ? true : nil
            facts.expires = version.expiresAt
        }
        self.init(name: pasteboard.name.text, changeCount: pasteboard.changeCount, facts: facts)
    }
}

extension PasteboardName {
    /// Rejects the name of a unique pasteboard, which only the broker may choose.
    func checkCreation() throws(IPCError) {
        guard isUnique else { return }
        let fact = "the name “\(self)” has the form of a unique pasteboard's name, which only the broker chooses"
        throw IPCError(.invalidName, fact + "; use CreateUniquePasteboard, or another name")
    }
}
