internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Fetches promised values from their writers when they are read. Any number of readers share one fetch.
@DBusActor
final class PromiseFetcher {
    private struct Key: Hashable {
        let pasteboard: PasteboardName
        let changeCount: UInt64
        /// The change count that the writer uses to identify its promise.
        let writtenAt: UInt64
        let isSensitive: Bool
        let promise: Promise
    }

    private let store: Store
    private let connection: Connection
    private let limits: Limits
    /// The id of this bus, which distinguishes its unique names from the same names on an earlier bus.
    private let bus: String
    private var underWay: [Key: Task<Void, any Error>] = [:]
    /// Whether the broker owns its bus name.
    var isServing: @DBusActor () -> Bool = { true }

    init(store: Store, connection: Connection, bus: String, limits: Limits) {
        (self.store, self.connection, self.bus, self.limits) = (store, connection, bus, limits)
    }

    /// The string that identifies a caller in the store.
    func writer(_ caller: BusName?, _ process: ProcessIdentity? = nil) -> String {
        caller.map { CallerText($0.text, on: bus, process: process?.text).text } ?? ""
    }

    /// The connection that a string from ``writer(_:_:)`` identifies; `nil` if the connection was on another bus.
    func owner(_ writer: String) -> BusName? {
        CallerText(writer).name(on: bus).flatMap { try? BusName($0) }
    }

    /// Fetches the values that a reader needs, all at the same time, and returns once they are in the store.
    /// - Throws: `PasteboardError.promiseBroken` if a writer has left, provides something else, or takes too long.
    func fetch(_ wanted: UnfulfilledPromises) async throws {
        for fetch in begin(wanted) { try await fetch.value }
    }

    private func begin(_ wanted: UnfulfilledPromises) -> [Task<Void, any Error>] {
        wanted.wanted.map { promise in
            let key = Key(
                pasteboard: wanted.pasteboard, changeCount: wanted.changeCount, writtenAt: wanted.writtenAt,
                isSensitive: wanted.isSensitive, promise: promise)
            return fetch(key, wanted.writer)
        }
    }

    /// Fetches all values that a writer has promised but not yet provided. A failure does not affect the other values.
    /// - Returns: the number of values that arrived.
    func fetchAll(of caller: BusName?) async throws -> UInt32 {
        let writer = writer(caller)
        guard !writer.isEmpty else { return 0 }
        let open = try await store.commit { try $0.promises(by: writer) }
        var fetched: UInt32 = 0
        for fetch in open.flatMap(begin) {
            do {
                try await fetch.value
                fetched += 1
            } catch PasteboardError.promiseBroken {}
        }
        return fetched
    }

    private func fetch(_ key: Key, _ writer: String) -> Task<Void, any Error> {
        if let task = underWay[key] { return task }
        let task = DBusActor.task {
            defer { self.underWay[key] = nil }
            let value = try await self.ask(writer, for: key)
            do { try await self.keep(value, key) } catch let condition as any Condition {
                // A bad value is the writer's fault, not the reader's.
                guard [.payloadInvalid, .limitExceeded].contains(condition.ipcError.code) else { throw condition }
                throw self.broken(key, condition.ipcError.message)
            }
        }
        underWay[key] = task
        return task
    }

    private func ask(_ writer: String, for key: Key) async throws -> Representation.Value {
        guard let owner = owner(writer), let path = try? PasteboardsService.path(of: key.pasteboard) else {
            throw broken(key, "its connection to the bus is gone")
        }
        var options = PromisedDataOptions()
        options.timeout = UInt32(clamping: limits.promiseMilliseconds)
        options.fd = true
        do throws(CallError) {
            return try await connection.call(
                PasteboardWriter1.getPromisedData, on: owner, at: path,
                (key.pasteboard.text, key.writtenAt, key.promise.item, key.promise.type.text, options),
                timeout: .milliseconds(Int(limits.promiseMilliseconds)), startsService: false)
        } catch {
            // The writer answers only the owner of the broker's name. The reader repeats its call with the next broker.
            if error.isRemote(.accessDenied), !isServing() { throw RequestRecords.brokerEnded }
            throw broken(key, Self.reason(error, milliseconds: limits.promiseMilliseconds))
        }
    }

    /// Adds a value to the version that promised it, if that version still exists.
    private func keep(_ value: Representation.Value, _ key: Key) async throws {
        let item = try PasteboardItem([Representation(type: key.promise.type, value: value)])
        try await store.withIntake(of: [item], on: key.pasteboard, isSensitive: key.isSensitive) { items in
            let value = items[0].representations[0].value
            _ = try await store.commit(writing: items) {
                try $0.fulfil(key.promise, of: key.pasteboard, changeCount: key.changeCount, with: value)
            }
        }
    }

    private func broken(_ key: Key, _ reason: String) -> PasteboardError {
        .promiseBroken(item: key.promise.item, type: key.promise.type.text, reason: reason)
    }

    private static func reason(_ error: CallError, milliseconds: UInt64) -> String {
        switch error {
        case .timedOut: "it did not answer within \(milliseconds) ms"
        case let error where error.mayMeanDeparture: "it has disconnected"
        case .remote(let name, let message): "it answered \(name): \(message)"
        case .badReply(let error): "its answer is malformed: \(error)"
        case .unsendable, .disconnected, .cancelled: "it could not be asked"
        }
    }
}
