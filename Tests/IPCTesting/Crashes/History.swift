/// The attempts of concurrent writers, their results, and the values that were read, in one chronological order.
///
/// A history has boards and collections. Only the last version of a board counts, and all boards share one counter for
/// change counts. In collections, such as the requests that a handler received, every element counts. A version of a
/// board is a list of items, and each item is a value.
package struct History: Sendable {
    package typealias Value = [UInt8]

    package enum Action: Sendable, Hashable {
        /// Puts a value on a board as its only item; `nil` clears the board. Give each write a different value, to tell
        /// the writes apart.
        case set(board: String, Value?)
        /// Does the same as `set` if the board has this change count, and is rejected otherwise.
        case compareAndSet(board: String, expected: UInt64, Value?)
        /// Appends an item to those on the board.
        case append(board: String, Value)
        case get(board: String)
        /// Reads the items and removes them. Takes with the same id are one repeated take.
        case take(board: String, id: String)
        /// Adds an element to a collection; all elements of a collection are different.
        case add(collection: String, Value)
        case list(collection: String)
    }

    package enum Result: Sendable, Hashable {
        /// No answer arrived: the action was applied completely or not at all.
        case unknown
        /// A write was acknowledged. `count` is the new change count of a board; `nil` for a collection.
        case acknowledged(count: UInt64?)
        /// An error that means that nothing was written.
        case refused
        /// The items that `get` or `take` read, with the change count of that version; a board that does not exist has
        /// count 0 and no items.
        case items(count: UInt64, [Value])
        /// The elements that `list` read.
        case elements([Value])

        /// The result of `get` or `take` on a board with at most one item.
        package static func value(count: UInt64, _ value: Value?) -> Result {
            .items(count: count, value.map { [$0] } ?? [])
        }
    }

    package struct Operation: Sendable {
        package let number: Int
        package let writer: Int
        package let round: Int
        package let action: Action
        /// The position of the operation's start in the order of all starts and completions.
        package let invoked: Int
        /// The position of the operation's completion; `Int.max` while there is no answer.
        package fileprivate(set) var responded = Int.max
        package fileprivate(set) var result = Result.unknown
    }

    package private(set) var operations: [Operation] = []
    /// The number of acknowledged writes.
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

    /// Records the result of an operation.
    package mutating func respond(_ number: Int, _ result: Result) {
        clock += 1
        operations[number].responded = clock
        operations[number].result = result
        if case .acknowledged = result { acknowledged += 1 }
    }

    /// The number of writes without an answer.
    package var unknown: Int { operations.count { $0.result == .unknown } }
}

/// A history that concurrent writers record, and whose progress can be awaited.
package final class HistoryRecorder: Sendable {
    private let state = Observed(History())

    package init() {}

    /// The history so far.
    package var history: History { state.value }

    /// Performs an operation and records it. If `body` throws, the result stays unknown, and the error is rethrown.
    @discardableResult
    package func perform(
        _ action: History.Action, writer: Int = 0, round: Int = 0, _ body: () async throws -> History.Result
    ) async throws -> History.Result {
        let number = state.update { $0.invoke(action, writer: writer, round: round) }
        let result = try await body()
        state.update { $0.respond(number, result) }
        return result
    }

    /// Waits until the history meets `condition`.
    package func wait(until condition: @escaping @Sendable (History) -> Bool) async throws {
        try await state.wait { condition($0) ? () : nil }
    }
}
