internal import Synchronization

/// A value under a lock whose changes can be awaited.
package final class Observed<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var version: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTicket: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The current value.
    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes all waiting tasks.
    package func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = body(&state.value)
            state.version += 1
            defer { state.waiting = [:] }
            return (result, Array(state.waiting.values))
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until `condition`, evaluated now and after every change, returns a value. The condition may remove the
    /// result from the value, so that only one of several waiting tasks gets it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait<Result: Sendable>(for condition: @Sendable (inout Value) throws -> Result?) async throws -> Result
    {
        while true {
            try Task.checkCancellation()
            let (result, seen) = try state.withLock { (try condition(&$0.value), $0.version) }
            if let result { return result }
            await change(after: seen)
        }
    }

    /// Returns when the version is no longer `seen`, or the task is cancelled.
    private func change(after seen: UInt64) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let stays = state.withLock { state in
                    // If the task was cancelled before this point, `onCancel` found no continuation to resume. Do not
                    // wait then.
                    guard state.version == seen, !Task.isCancelled else { return false }
                    state.waiting[ticket] = continuation
                    return true
                }
                if !stays { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
