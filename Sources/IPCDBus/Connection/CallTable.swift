/// Calls that wait for their answers, by serial, with their deadlines.
///
/// One timer serves them all: it is set for the earliest deadline and moved only when it fires, so a call that is
/// answered in time costs no timer work.
@DBusActor
final class CallTable {
    typealias Completion = @DBusActor (Result<Message, CallError>) -> Void
    private struct Pending {
        let deadline: ContinuousClock.Instant
        let complete: Completion
    }

    private var pending: [UInt32: Pending] = [:]
    private var timer: (number: UInt64, deadline: ContinuousClock.Instant)?

    isolated deinit { if let timer { DBusActor.thread.cancel(timer.number) } }

    func add(_ serial: UInt32, timeout: Duration, _ complete: @escaping Completion) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        pending[serial] = Pending(deadline: deadline, complete: complete)
        arm(deadline)
    }

    /// Ends the call `serial`; a call that has already ended stays as it ended.
    func complete(_ serial: UInt32, with result: Result<Message, CallError>) {
        pending.removeValue(forKey: serial)?.complete(result)
    }

    func failAll(_ error: CallError) {
        let all = pending
        pending = [:]
        for call in all.values { call.complete(.failure(error)) }
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        if let timer {
            guard deadline < timer.deadline else { return }
            DBusActor.thread.cancel(timer.number)
        }
        let number = DBusActor.thread.schedule(at: deadline) { [weak self] in
            DBusActor.assumeIsolated { self?.expire() }
        }
        timer = (number, deadline)
    }

    private func expire() {
        timer = nil
        let now = ContinuousClock.now
        let late = pending.filter { $0.value.deadline <= now }
        for serial in late.keys { complete(serial, with: .failure(.timedOut)) }
        if let next = pending.values.map(\.deadline).min() { arm(next) }
    }
}
