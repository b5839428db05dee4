import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// A bug that a layer above the broker could have. The tests switch one on to prove that they detect it.
enum BoardMistake: String, CaseIterable, Sendable {
    /// A compare-and-set in three steps that are not atomic: it reads, compares, and then sets.
    case lostUpdate = "lost-update"
    /// A read in two calls: it returns the change count of the first with the items of the second.
    case tornRead = "torn-read"
    /// A take in two steps: it reads and then clears.
    case doubleTake = "double-take"
    /// Reads of which every second one is answered from memory instead of by the broker.
    case countTakenBack = "count-taken-back"
}

/// A client with its own connection that performs the operations of a history on boards.
@DBusActor
final class BoardClient {
    private let client: BrokerClient
    private let mistake: BoardMistake?
    /// The first read of each board, which ``BoardMistake/countTakenBack`` returns again later.
    private var remembered: [String: History.Result] = [:]

    init(_ bus: PrivateBus, _ mistake: BoardMistake? = nil) async throws {
        client = try await BrokerClient(bus)
        self.mistake = mistake
    }

    /// Performs an operation; repeating it with the same id repeats the same call.
    ///
    /// - Throws: a `CallError` if the answer is lost. An error that the broker may return for the operation is a
    ///   result.
    func perform(_ action: History.Action, id: String) async throws -> History.Result {
        do throws(CallError) {
            return try await attempt(action, id)
        } catch {
            guard error.isRemote(IPCError.Code.changeCountMismatch.errorName) else { throw error }
            return .refused
        }
    }

    private func attempt(_ action: History.Action, _ id: String) async throws(CallError) -> History.Result {
        switch action {
        case .set(let board, let value): try await write(board, value, id)
        case .compareAndSet(let board, let expected, let value):
            try await exchange(board, expected, value, id)
        case .append(let board, let value):
            .acknowledged(
                count: try await client.call(Pasteboard1.addItems, at: path(board), ([.value(value)], options(id))))
        case .get(let board): try await read(board)
        case .take(let board, let id): try await take(board, id)
        case .add, .list: preconditionFailure("boards are no collections")
        }
    }

    private func write(
        _ board: String, _ value: History.Value?, _ id: String, expected: UInt64? = nil
    ) async throws(CallError) -> History.Result {
        if let value {
            var options = options(id)
            options.ifChangeCount = expected
            return .acknowledged(
                count: try await client.call(Pasteboard1.setItems, at: path(board), ([.value(value)], options)))
        }
        var options = ClearOptions()
        (options.id, options.ifChangeCount) = (id, expected)
        return .acknowledged(count: try await client.call(Pasteboard1.clear, at: path(board), options))
    }

    private func exchange(
        _ board: String, _ expected: UInt64, _ value: History.Value?, _ id: String
    ) async throws(CallError) -> History.Result {
        guard mistake == .lostUpdate else { return try await write(board, value, id, expected: expected) }
        guard case .items(expected, _) = try await items(board, GetItemsOptions()) else { return .refused }
        // A second read takes time, so that other clients can change the board before the write.
        _ = try await items(board, GetItemsOptions())
        return try await write(board, value, id)
    }

    private func read(_ board: String) async throws(CallError) -> History.Result {
        let now = try await items(board, GetItemsOptions())
        switch mistake {
        case .tornRead:
            guard case .items(let count, _) = now, case .items(_, let items) = try await items(board, GetItemsOptions())
            else { return now }
            return .items(count: count, items)
        case .countTakenBack:
            defer { if remembered.removeValue(forKey: board) == nil { remembered[board] = now } }
            return remembered[board] ?? now
        default: return now
        }
    }

    private func take(_ board: String, _ id: String) async throws(CallError) -> History.Result {
        guard mistake == .doubleTake else {
            var options = GetItemsOptions()
            (options.take, options.id) = (true, id)
            return try await items(board, options)
        }
        let result = try await items(board, GetItemsOptions())
        if result.count > 0 { _ = try await write(board, nil, id) }
        return result
    }

    private func items(_ board: String, _ options: GetItemsOptions) async throws(CallError) -> History.Result {
        let (count, items, _) = try await client.call(Pasteboard1.getItems, at: path(board), options)
        return .items(count: count, items.map { $0.item.string.map { Array($0.utf8) } ?? [] })
    }

    private func options(_ id: String) -> WriteOptions {
        var options = WriteOptions()
        options.id = id
        return options
    }

    private func path(_ board: String) -> ObjectPath {
        // The names of the test's own boards are valid.
        try! client.path(board)
    }
}

extension History.Result {
    /// The number of items read.
    fileprivate var count: Int { if case .items(_, let items) = self { items.count } else { 0 } }
}

extension PasteboardItem {
    fileprivate static func value(_ value: History.Value) -> PasteboardItem {
        .string(String(decoding: value, as: UTF8.self))
    }
}
