import Synchronization

/// What has happened on the terminal and has not been read yet.
///
/// Not an `AsyncStream`: that one ends when a task that waits for it is cancelled, and a prompt that is cancelled must not
/// take the keyboard from the next one.
final class EventQueue: Sendable {
    private struct State: Sendable {
        var events: [TerminalEvent] = []
        var hasEnded = false
        var waiting: CheckedContinuation<TerminalEvent?, Never>?
    }

    private let state = Mutex(State())

    func add(_ event: TerminalEvent) {
        let waiting = state.withLock { state in
            guard let waiting = state.waiting else {
                state.events.append(event)
                return nil as CheckedContinuation<TerminalEvent?, Never>?
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: event)
    }

    /// Forgets keys and pastes.
    func removeTyped() {
        state.withLock { state in
            state.events.removeAll { event in
                switch event {
                case .key, .paste: true
                case .resized, .resumed, .interrupted: false
                }
            }
        }
    }

    /// Nothing follows.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }?.resume(returning: nil)
    }

    /// The next event; `nil` at the end, and when the task is cancelled. One task waits at a time.
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

/// The events of a terminal, in order. They end with ``TerminalEvent/interrupted(signal:)`` or ``Terminal/close()``; a loop in a
/// task that is cancelled ends, and another one goes on where it was.
public struct TerminalEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    public struct Iterator: AsyncIteratorProtocol {
        let queue: EventQueue
        public mutating func next() async -> TerminalEvent? { await queue.next() }
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TerminalEvent? { await queue.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }
}
