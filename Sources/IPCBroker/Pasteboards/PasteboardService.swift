internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Pasteboard1`, for all pasteboards. The object path contains the name of the pasteboard.
@DBusActor
final class PasteboardService {
    let store: Store
    let clients: BusClients
    let arrivals: ArrivalOrder
    let promises: PromiseFetcher
    let expiry: ExpiryClock
    private let descriptors: DescriptorBudget
    let limits: Limits
    let room: AnswerRoom
    let promisedReads: PromisedReads

    init(
        store: Store, clients: BusClients, arrivals: ArrivalOrder, promises: PromiseFetcher, expiry: ExpiryClock,
        descriptors: DescriptorBudget, room: AnswerRoom, limits: Limits
    ) {
        (self.store, self.clients, self.arrivals) = (store, clients, arrivals)
        (self.promises, self.expiry, self.descriptors, self.limits) = (promises, expiry, descriptors, limits)
        (self.room, promisedReads) = (room, PromisedReads(limits: limits))
    }

    static func name(_ call: IncomingCall) throws -> PasteboardName {
        guard let name = PasteboardName(pathElement: String(call.path.lastElement)) else {
            throw ErrorReply(.unknownObject, "there is no object at \(call.path); it is not the path of a pasteboard")
        }
        return name
    }

    /// The name of the pasteboard that is called. Throws if the caller may not see it.
    func name(_ call: IncomingCall) async throws -> PasteboardName {
        let name = try Self.name(call)
        try await clients.caller(call.sender).visibility.check(name)
        return name
    }

    // MARK: Writing

    enum Change { case set, add, clear }

    /// A change of a pasteboard, ready for the store.
    private struct Write: Sendable {
        let change: Change
        let items: [PasteboardItem]
        let name: PasteboardName
        let options: IPCStore.WriteOptions

        /// - Parameter items: the items, whose files the store has already taken in.
        func operation(_ items: [PasteboardItem]) -> @Sendable (borrowing StoreTransaction) throws -> Written {
            { transaction in
                let isNew = try options.createsPersistent != nil && !transaction.hasPasteboard(name)
                let count =
                    switch change {
                    case .set: try transaction.setItems(items, on: name, options)
                    case .add: try transaction.addItems(items, to: name, options)
                    case .clear: try transaction.clear(name, options)
                    }
                return Written(count: count, added: isNew ? try transaction.managedPasteboard(name) : nil)
            }
        }
    }

    private struct Written: Sendable {
        let count: UInt64
        /// The pasteboard, if the write created it.
        let added: ManagedPasteboard?
    }

    /// Passes a write to the store, in the order in which this caller's calls arrived.
    func write(
        _ change: Change, _ given: [PasteboardItem], to name: PasteboardName, _ options: IPCInterface.WriteOptions,
        _ call: IncomingCall, _ answer: @escaping DelayedAnswer<UInt64>
    ) async throws {
        let stated = try options.sourceApplication.map { try ApplicationID($0) }
        let items = try options.digests.map { try given.stating($0) } ?? given
        try limits.checkPayload(items)
        var asked = try IPCStore.WriteOptions(options, items: items, writer: promises.writer(call.sender))
        if options.create ?? false {
            try name.checkCreation()
            asked.createsPersistent = options.persistent ?? name.isPersistentByDefault
        }
        let checked = asked
        let files = items.fileCount
        if files > 0 { call.keepUntilAnswered(try descriptors.charge(files, to: call.sender)) }
        let finish: DelayedAnswer<Written> = { [expiry] result in
            if case .success(let written) = result {
                if checked.endsByItself { expiry.look() }
                if let added = written.added { try? call.announceAdded(added) }
            }
            answer(result.map(\.count))
        }
        let (write, written) = try await arrivals.inTurn(of: call.sender) { () async throws -> (Write, Written?) in
            let caller = await clients.caller(call.sender, stating: stated)
            try caller.visibility.check(name)
            let write = Write(change: change, items: items, name: name, options: checked.with(caller.source))
            room.writing(items, to: name, isAddition: change == .add)
            // Keep the turn until files and large writes are in the store, so that no later call overtakes them.
            if files > 0 { return (write, try await commitFiles(of: write)) }
            if items.areSmall { return (write, nil) }
            return (write, try await store.commit(writing: items, write.operation(items)))
        }
        if let written { return finish(.success(written)) }
        // An addition to a sensitive pasteboard copies its content, so only a replacement may run on the I/O thread.
        store.commit(about: change == .set ? write.name : nil, write.operation(items), then: finish)
    }

    private func commitFiles(of write: Write) async throws -> Written {
        var isSensitive = write.options.isSensitive
        if write.change == .add, !isSensitive {
            // Items that are added to sensitive content are sensitive too, and must never touch the disk.
            isSensitive = try await store.commit { try $0.facts(of: write.name).isSensitive }
        }
        return try await store.withIntake(
            of: write.items, on: write.name, persistent: write.options.createsPersistent, isSensitive: isSensitive
        ) { items in
            try await store.commit(writing: items, write.operation(items))
        }
    }

    // MARK: Properties

    private func state(_ call: IncomingCall) async throws -> Board {
        let name = try await name(call)
        guard let state = try await store.commit({ try $0.pasteboard(name) }) else {
            throw PasteboardError.noSuchPasteboard(name)
        }
        return state
    }

    /// All properties, read in one operation, so that they belong to the same version.
    private func allProperties(_ call: IncomingCall) async throws -> [String: Value] {
        let name = try await name(call)
        return try await store.commit { transaction in
            guard let pasteboard = try transaction.managedPasteboard(name) else {
                throw PasteboardError.noSuchPasteboard(name)
            }
            var values = pasteboard.properties
            let types = try transaction.types(of: name).map { $0.map(\.text) }
            values[Pasteboard1.types.name.text] = types.dbusValue
            return values
        }
    }

    private func setPersistent(_ persistent: Bool, _ call: IncomingCall) async throws {
        try await store.setPersistent(persistent, of: try await name(call))
    }

    private func setHistoryLimit(_ limit: UInt32, _ call: IncomingCall) async throws {
        let name = try await name(call)
        guard UInt64(limit) <= limits.historyMost else {
            throw IPCError(.invalidArguments, "HistoryLimit must be from 0 to \(limits.historyMost), not \(limit)")
        }
        try await store.commit { try $0.setHistoryLimit(limit, of: name) }
    }
}

// MARK: Objects

extension PasteboardService {
    var exported: Subtree {
        let (store, clients) = (store, clients)
        let most = Int(limits.introspectedPasteboards)
        return Subtree(
            interfaces: [
                ExportedInterface(
                    Pasteboard1.description, methods: methods, properties: properties,
                    together: { try await self.allProperties($0) })
            ],
            children: { call in
                let visibility = await clients.caller(call.sender).visibility
                let names = try await store.commit { try $0.pasteboards(limit: most).map(\.name) }
                return names.filter(visibility.allows).map(\.pathElement)
            },
            contains: { element, call in
                guard let name = PasteboardName(pathElement: element),
                    await clients.caller(call.sender).visibility.allows(name)
                else { return false }
                return try await store.commit { try $0.pasteboard(name) } != nil
            })
    }

    private var methods: [ExportedMethod] {
        [
            Pasteboard1.setItems.answered(later: {
                try await self.write(.set, $0.0, to: try Self.name($1), $0.1, $1, $2)
            }),
            Pasteboard1.addItems.answered(later: { input, call, answer in
                guard !input.0.isEmpty || input.1.promises?.isEmpty == false else {
                    throw IPCError(.invalidArguments, "there is no item to add")
                }
                try await self.write(.add, input.0, to: try Self.name(call), input.1, call, answer)
            }),
            Pasteboard1.clear.answered(later: {
                try await self.write(.clear, [], to: try Self.name($1), IPCInterface.WriteOptions($0), $1, $2)
            }),
            Pasteboard1.getItems.answered(later: { try await self.getItems($0, of: try Self.name($1), $1, then: $2) }),
            Pasteboard1.getData.answered(later: { try await self.getData($0, $1, $2) }),
            Pasteboard1.listVersions.answered { _, call in try await self.listVersions(call) },
        ]
    }

    private var properties: [ExportedProperty] {
        [
            Pasteboard1.nameProperty.answered(get: { try await self.state($0).name.text }),
            Pasteboard1.changeCount.answered(get: { try await self.state($0).changeCount }),
            Pasteboard1.persistent.answered(
                get: { try await self.state($0).isPersistent }, set: { try await self.setPersistent($0, $1) }),
            Pasteboard1.historyLimit.answered(
                get: { try await self.state($0).historyLimit }, set: { try await self.setHistoryLimit($0, $1) }),
            Pasteboard1.types.answered(get: { call in
                let name = try await self.name(call)
                return try await self.store.commit { try $0.types(of: name).map { $0.map(\.text) } }
            }),
            Pasteboard1.itemCount.answered(get: { call in
                let name = try await self.name(call)
                return UInt32(try await self.store.commit { try $0.facts(of: name).itemCount })
            }),
        ]
    }
}

extension [PasteboardItem] {
    /// The same items, with the digests that their writer gave for their files.
    /// - Parameter digests: one string for each representation of each item; empty if the writer gave none.
    /// - Throws: `invalidArguments` if there is not one string for each representation, or a string is not a digest.
    fileprivate func stating(_ digests: [[String]]) throws -> [PasteboardItem] {
        guard map(\.representations.count) == digests.map(\.count) else {
            throw IPCError(.invalidArguments, "“digests” does not have one entry for each representation of each item")
        }
        return try zip(self, digests).map { item, row in
            try PasteboardItem(read: zip(item.representations, row).map { try $0.stating($1) })
        }
    }
}

extension Representation {
    fileprivate func stating(_ text: String) throws -> Representation {
        guard !text.isEmpty else { return self }
        guard let digest = ContentDigest(wire: text) else {
            throw IPCError(.invalidArguments, "a digest must be “xxh128:” followed by 32 hexadecimal digits, or empty")
        }
        guard case .file(let file) = value else { return self }
        return Representation(type: type, value: .file(ContentFile(sharing: file, stated: digest)))
    }
}
