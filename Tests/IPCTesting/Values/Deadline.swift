/// The time that a wait may take when the caller does not say: 30 s. A test that hangs fails with a message.
package let usualDeadline = Duration.seconds(30)

/// A wait that took longer than it may.
package struct DeadlineExceeded: Error, CustomStringConvertible, Sendable {
    /// What was awaited, and what had been seen until then.
    package let description: String
}

/// Runs `operation`; when it takes longer than `limit`, cancels it and throws ``DeadlineExceeded``.
///
/// The operation must answer a cancellation; all waits of the harness do.
///
/// - Parameters:
///   - what: the awaited event, such as “line ready”.
///   - limit: the longest time it may take.
///   - seen: asked at the deadline for what was seen so far.
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
