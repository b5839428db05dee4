/// The default time limit of a wait. A test that hangs for longer fails with a message.
package let usualDeadline = Duration.seconds(30)

/// A wait exceeded its time limit.
package struct DeadlineExceeded: Error, CustomStringConvertible, Sendable {
    /// The awaited event, and what had been seen until then.
    package let description: String
}

/// Runs `operation`; if it takes longer than `limit`, cancels it and throws ``DeadlineExceeded``.
///
/// The operation must respond to cancellation; all waits of the harness do.
///
/// - Parameters:
///     - what: the awaited event, such as “line ready”.
///     - limit: the time limit.
///     - seen: called at the deadline to describe what was seen so far.
package func withDeadline<Result: Sendable>(
    _ what: String, limit: Duration = usualDeadline,
    seen: @autoclosure @escaping @Sendable () -> String = "",
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: operation)
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlineExceeded(description: "no \(what) within \(limit). \(seen())")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
