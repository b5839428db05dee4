internal import IPCDBus

/// Tasks that are waiting for a value, in the order of their arrival.
@DBusActor
final class WaitingTasks<Value: Sendable> {
    private var waiting: [(number: UInt64, continuation: CheckedContinuation<Value, Never>)] = []
    private var last: UInt64 = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// Waits for a value, unless `ready` already returns one. Keeps waiting even if the task is cancelled.
    func wait(unless ready: @DBusActor () -> Value?) async -> Value {
        last += 1
        return await wait(as: last, ready)
    }

    /// Waits for a value, unless `ready` already returns one. If the task is cancelled, `cancelled` provides the value.
    func wait(
        unless ready: @DBusActor () -> Value?, ifCancelled cancelled: @escaping @DBusActor @Sendable () -> Value
    ) async -> Value {
        last += 1
        let number = last
        return await withTaskCancellationHandler {
            await wait(as: number, ready)
        } onCancel: {
            Task { @DBusActor in self.resume(number, with: cancelled()) }
        }
    }

    private func wait(as number: UInt64, _ ready: @DBusActor () -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            // The state may have changed while the task was suspended on the way here.
            guard let value = ready() else { return waiting.append((number, continuation)) }
            continuation.resume(returning: value)
        }
    }

    private func resume(_ number: UInt64, with value: Value) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).continuation.resume(returning: value)
    }

    /// - Returns: `false` if no task is waiting.
    func resumeFirst(with value: Value) -> Bool {
        guard !waiting.isEmpty else { return false }
        waiting.removeFirst().continuation.resume(returning: value)
        return true
    }

    func resumeAll(with value: Value) {
        let all = waiting
        waiting = []
        for (_, continuation) in all { continuation.resume(returning: value) }
    }
}

/// Runs work that may block, such as file access, off the caller's thread.
func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () throws(IPCError) -> Value
) async throws(IPCError) -> Value {
    try await Background.run { Result { () throws(IPCError) in try work() } }.get()
}
