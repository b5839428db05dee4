internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Pasteboard1`, for every pasteboard: the name comes from the path of the object.
@DBusActor
final class PasteboardService {
    private let store: Store
    private let clients: BusClients
    private let limits: Limits

    init(store: Store, clients: BusClients, limits: Limits) {
        self.store = store
        self.clients = clients
        self.limits = limits
    }

    private static func name(_ call: IncomingCall) throws -> PasteboardName {
        guard let name = PasteboardName(pathElement: String(call.path.lastElement)) else {
            throw ErrorReply(.unknownObject, "there is no object at \(call.path); it is not the path of a pasteboard")
        }
        return name
    }

    // MARK: Writing

    private enum Change {
        case set([PasteboardItem])
        case add([PasteboardItem])
        case clear

        var items: [PasteboardItem] {
            switch self {
            case .set(let items), .add(let items): items
            case .clear: []
            }
        }
    }

    private func write(_ change: Change, _ options: IPCInterface.WriteOptions, _ call: IncomingCall) async throws
        -> UInt64
    {
        let name = try Self.name(call)
        let stated = try options.sourceApplication.map { try ApplicationID($0) }
        try limits.checkPayload(change.items)
        let source =
            if let known = clients.knownSource(stated: stated, by: call.sender) { known } else {
                await clients.source(stated: stated, by: call.sender)
            }
        let asked = IPCStore.WriteOptions(
            source: source, ifChangeCount: options.ifChangeCount, id: try options.id.map { try RequestID($0) })
        return try await store.commit { transaction in
            switch change {
            case .set(let items): try transaction.setItems(items, on: name, asked)
            case .add(let items): try transaction.addItems(items, to: name, asked)
            case .clear: try transaction.clear(name, asked)
            }
        }
    }

    // MARK: Reading

    private func getItems(
        _ options: GetItemsOptions, _ call: IncomingCall
    ) async throws -> (UInt64, [PasteboardItem], IPCInterface.VersionFacts) {
        let name = try Self.name(call)
        let types = try options.types.map { try $0.map { try ContentType($0) } }
        let take = options.take ?? false
        guard !take || options.changeCount == nil else {
            throw IPCError(.invalidArguments, "“take” takes the current version; it goes without “change-count”")
        }
        guard take || options.id == nil else {
            throw IPCError(.invalidArguments, "only a “take” is repeated by “id”")
        }
        let id = try options.id.map { try RequestID($0) }
        let source = clients.knownSource(stated: nil, by: call.sender) ?? Source(application: "", strength: .unknown)
        let content = try await store.commit { transaction in
            take
                ? try transaction.takeItems(of: name, TakeOptions(types: types, id: id, source: source)).content
                : try transaction.items(of: name, ReadOptions(types: types, changeCount: options.changeCount))
        }
        var facts = IPCInterface.VersionFacts(content.facts)
        facts.digests = content.items.map { $0.representations.map { ContentDigest(of: $0.value).description } }
        facts.size = content.items.reduce(0) { $0 + UInt64($1.byteCount) }
        return (content.facts.changeCount, content.items, facts)
    }

    private func getData(
        _ input: (UInt32, String, NoOptions), _ call: IncomingCall
    ) async throws -> (Representation.Value, IPCInterface.VersionFacts) {
        let name = try Self.name(call)
        let type = try ContentType(input.1)
        let (representation, known) = try await store.commit { try $0.representation(input.0, type, of: name) }
        var facts = IPCInterface.VersionFacts(known.version)
        facts.size = known.size
        facts.digest = known.digest.description
        return (representation.value, facts)
    }

    private func state(_ call: IncomingCall) async throws -> PasteboardState {
        let name = try Self.name(call)
        guard let state = try await store.commit({ try $0.pasteboard(name) }) else {
            throw PasteboardError.noSuchPasteboard(name)
        }
        return state
    }

    // MARK: Objects

    var exported: Subtree {
        let store = store
        let most = Int(limits.introspectedPasteboards)
        return Subtree(
            interfaces: [interface],
            children: {
                try await store.commit { try $0.pasteboards(limit: most).map(\.name.pathElement) }
            },
            contains: { element in
                guard let name = PasteboardName(pathElement: element) else { return false }
                return try await store.commit { try $0.pasteboard(name) } != nil
            })
    }

    private var interface: ExportedInterface {
        ExportedInterface(
            Pasteboard1.description,
            methods: [
                Pasteboard1.setItems.answered { try await self.write(.set($0.0), $0.1, $1) },
                Pasteboard1.addItems.answered { input, call in
                    guard !input.0.isEmpty else { throw IPCError(.invalidArguments, "there is no item to add") }
                    return try await self.write(.add(input.0), input.1, call)
                },
                Pasteboard1.clear.answered { try await self.write(.clear, $0, $1) },
                Pasteboard1.getItems.answered { try await self.getItems($0, $1) },
                Pasteboard1.getData.answered { try await self.getData($0, $1) },
            ],
            properties: [
                Pasteboard1.nameProperty.answered(get: { try await self.state($0).name.text }),
                Pasteboard1.changeCount.answered(get: { try await self.state($0).changeCount }),
                Pasteboard1.persistent.answered(
                    get: { try await self.state($0).isPersistent },
                    set: { value, call in
                        let name = try Self.name(call)
                        try await self.store.commit { try $0.setPersistent(value, of: name) }
                    }),
                Pasteboard1.historyLimit.answered(
                    get: { try await self.state($0).historyLimit },
                    set: { value, call in
                        let name = try Self.name(call)
                        guard UInt64(value) <= self.limits.historyMost else {
                            throw IPCError(
                                .invalidArguments, "HistoryLimit is 0 to \(self.limits.historyMost), not \(value)")
                        }
                        try await self.store.commit { try $0.setHistoryLimit(value, of: name) }
                    }),
                Pasteboard1.types.answered(get: { call in
                    let name = try Self.name(call)
                    return try await self.store.commit { try $0.types(of: name).map { $0.map(\.text) } }
                }),
                Pasteboard1.itemCount.answered(get: { call in
                    let name = try Self.name(call)
                    return UInt32(try await self.store.commit { try $0.facts(of: name).itemCount })
                }),
            ])
    }
}

extension IPCInterface.VersionFacts {
    init(_ version: IPCStore.VersionFacts) {
        self.init()
        sourceApplication = version.source.application
        sourceStrength = version.source.strength.rawValue
        time = version.time
    }
}
