import Synchronization

/// The events of the terminal that have not been read yet.
///
/// An `AsyncStream` with a continuation would end when a waiting task is cancelled. But after a cancelled reader, the next
/// one must still get the keys.
final class EventQueue: Sendable {
    private struct State: Sendable {
        var events: [TerminalEvent] = []
        var hasEnded = false
        var waiting: CheckedContinuation<TerminalEvent?, Never>?
    }

    private let state = Mutex(State())

    func add(_ event: TerminalEvent) {
        state.withLock { state in
            if state.waiting == nil { state.events.append(event) }
            return state.waiting.take()
        }?.resume(returning: event)
    }

    /// Discards keys and pastes.
    func removeTyped() { state.withLock { $0.events.removeAll(where: \.isTyped) } }

    /// Ends the queue after a last event, if there is one.
    func end(with last: TerminalEvent? = nil) {
        if let last { add(last) }
        state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }?.resume(returning: nil)
    }

    /// Waits for the next event; `nil` at the end, or if the task is cancelled. Only one task may wait at a time.
    func next() async -> TerminalEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: TerminalEvent?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.events.isEmpty { return state.events.removeFirst() }
                    if state.hasEnded { return .some(nil) }
                    precondition(state.waiting == nil, "two tasks read the events of one terminal")
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(returning: nil)
        }
    }
}
