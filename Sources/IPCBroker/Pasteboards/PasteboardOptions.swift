internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

extension IPCStore.WriteOptions {
    /// Validates the options of a D-Bus call. The source is set later, because that may need a query to the bus.
    /// - Parameter writer: identifies the program that provides the promised values.
    init(
        _ options: IPCInterface.WriteOptions, items: [PasteboardItem], writer: String
    ) throws {
        self.init(ifChangeCount: options.ifChangeCount, id: try options.id.map { try RequestID($0) })
        timeToLive = try options.timeToLive.map { try IPCStore.WriteOptions.checked(timeToLive: $0) }
        isOnce = options.once ?? false
        promises = try (options.promises ?? []).map { try $0.map { try ContentType($0) } }
        // This must be known before any value is written, because sensitive values must never reach the disk.
        isSensitive =
            options.sensitive ?? false || items.contains(where: \.isMarkedSensitive) || promises.isMarkedSensitive
        if promises.contains(where: { !$0.isEmpty }) { self.writer = writer }
    }

    init(_ options: PayloadSetOptions, items: [PasteboardItem]) throws {
        self.init(ifChangeCount: options.ifChangeCount)
        timeToLive = try options.timeToLive.map { try IPCStore.WriteOptions.checked(timeToLive: $0) }
        isSensitive = options.sensitive ?? false || items.contains(where: \.isMarkedSensitive)
        isOnce = options.once ?? false
    }

    static func checked(timeToLive milliseconds: UInt64) throws(IPCError) -> UInt64 {
        guard (1...mostTimeToLive).contains(milliseconds) else {
            throw IPCError(
                .invalidArguments,
                "“time-to-live” must be from 1 to \(mostTimeToLive) ms (100 years), not \(milliseconds); for no limit, "
                    + "leave it out"
            )
        }
        return milliseconds
    }

    private static let mostTimeToLive: UInt64 = 3_155_760_000_000

    func with(_ source: Source) -> Self {
        var options = self
        options.source = source
        return options
    }

    /// Whether the version may expire.
    var endsByItself: Bool { timeToLive != nil || isSensitive }
}

extension IPCInterface.WriteOptions {
    init(_ options: ClearOptions) {
        self.init()
        (ifChangeCount, id, sourceApplication) = (options.ifChangeCount, options.id, options.sourceApplication)
    }
}

extension IPCInterface.VersionFacts {
    init(_ version: IPCStore.VersionFacts) {
        self.init()
        sourceApplication = version.source.application
        sourceStrength = version.source.strength.rawValue
        time = version.time
        sensitive = version.isSensitive ? true : nil
        once = version.isOnce ? true : nil
        expires = version.expiresAt
    }
}

/// The arguments of `GetItems`, which reads the items of a version, or takes the current items off the pasteboard.
struct ItemReading: Sendable {
    private let types: [ContentType]?
    private let changeCount: UInt64?
    private let takes: Bool
    private let ifChangeCount: UInt64?
    private let id: RequestID?

    init(_ options: GetItemsOptions) throws {
        types = try options.types.map { try $0.map { try ContentType($0) } }
        changeCount = options.changeCount
        takes = options.take ?? false
        guard !takes || changeCount == nil else {
            throw IPCError(
                .invalidArguments, "“take” takes the current version, and cannot be combined with “change-count”")
        }
        guard takes || options.id == nil && options.ifChangeCount == nil else {
            throw IPCError(.invalidArguments, "“id” and “if-change-count” can be used only with “take”")
        }
        ifChangeCount = options.ifChangeCount
        id = try options.id.map { try RequestID($0) }
    }

    /// Whether a taken version is kept for a while, so that it can be read again.
    var holdsVersion: Bool { id != nil }

    func run(on name: PasteboardName, _ transaction: borrowing StoreTransaction) throws -> VersionContent {
        guard takes else {
            return try transaction.items(of: name, ReadOptions(types: types, changeCount: changeCount))
        }
        return try transaction.takeItems(of: name, ReadOptions(types: types, changeCount: ifChangeCount, id: id))
            .content
    }
}
