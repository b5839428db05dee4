/// What concurrent writers tried, what they were told, and what was read, in one order of time.
///
/// A history has boards, whose last version counts, with change counts that come from one counter of all boards; and
/// collections, such as the requests that a handler received, of which every element counts. A version of a board is a
/// row of items, each of them a value.
package struct History: Sendable {
    package typealias Value = [UInt8]

    package enum Action: Sendable, Hashable {
        /// Puts a value on a board as its only item; `nil` clears it. Give each write another value: only then is
        /// each crash told from each.
        case set(board: String, Value?)
        /// The same, if the board has this change count; refused if it has another.
        case compareAndSet(board: String, expected: UInt64, Value?)
        /// Puts an item behind those of the board.
        case append(board: String, Value)
        case get(board: String)
        /// Reads the items and leaves none. Takes with the same id are one take that is repeated.
        case take(board: String, id: String)
        /// Adds an element to a collection; each element of a collection is another.
        case add(collection: String, Value)
        case list(collection: String)
    }

    package enum Result: Sendable, Hashable {
        /// No answer: it was applied whole or not at all.
        case unknown
        /// A write was acknowledged; a board's with its change count.
        case acknowledged(count: UInt64?)
        /// An error that means: nothing was written.
        case refused
        /// What `get` or `take` read, with the change count of that version; a board that is not there has count 0
        /// and no items.
        case items(count: UInt64, [Value])
        /// What `list` read.
        case elements([Value])

        /// What `get` or `take` read on a board of one item or none.
        package static func value(count: UInt64, _ value: Value?) -> Result {
            .items(count: count, value.map { [$0] } ?? [])
        }
    }

    package struct Operation: Sendable {
        package let number: Int
        package let writer: Int
        package let round: Int
        package let action: Action
        /// The place of its beginning in the order of all beginnings and ends.
        package let invoked: Int
        /// The place of its end; `Int.max` while there is no answer.
        package fileprivate(set) var responded = Int.max
        package fileprivate(set) var result = Result.unknown
    }

    package private(set) var operations: [Operation] = []
    /// How many writes were acknowledged.
    package private(set) var acknowledged = 0
    private var clock = 0

    package init() {}

    /// Records that an operation is about to be tried; returns its number.
    package mutating func invoke(_ action: Action, writer: Int = 0, round: Int = 0) -> Int {
        clock += 1
        let number = operations.count
        operations.append(Operation(number: number, writer: writer, round: round, action: action, invoked: clock))
        return number
    }

    /// Records what came of it.
    package mutating func respond(_ number: Int, _ result: Result) {
        clock += 1
        operations[number].responded = clock
        operations[number].result = result
        if case .acknowledged = result { acknowledged += 1 }
    }

    /// How many writes have no answer.
    package var unknown: Int { operations.count { $0.result == .unknown } }
}

/// A history that concurrent writers record, and whose progress can be awaited.
package final class HistoryRecorder: Sendable {
    private let state = Observed(History())

    package init() {}

    /// What was recorded so far.
    package var history: History { state.value }

    /// Performs an operation and records it. When `body` throws, its result stays unknown, and the error is thrown on.
    @discardableResult
    package func perform(
        _ action: History.Action, writer: Int = 0, round: Int = 0, _ body: () async throws -> History.Result
    ) async throws -> History.Result {
        let number = state.update { $0.invoke(action, writer: writer, round: round) }
        let result = try await body()
        state.update { $0.respond(number, result) }
        return result
    }

    /// Waits until the history is as far as `condition` says.
    package func wait(until condition: @escaping @Sendable (History) -> Bool) async throws {
        try await state.wait { condition($0) ? () : nil }
    }
}
