/// The observers to notify when a connection is lost, reconnected, or closed for good.
@DBusActor
final class ConnectionObservers {
    typealias Action = @DBusActor () -> Void

    private let waiters = Waiters()
    private var atEnd: [UInt64: Action] = [:]
    private var last: UInt64 = 0
    private var atLoss: [Action] = []
    private var atReturn: [Action] = []

    func onLoss(_ action: @escaping Action) { atLoss.append(action) }
    func onReturn(_ action: @escaping Action) { atReturn.append(action) }

    /// - Returns: a number for ``forget(_:)``.
    func onEnd(_ action: @escaping Action) -> UInt64 {
        last += 1
        atEnd[last] = action
        return last
    }

    func forget(_ number: UInt64) { atEnd[number] = nil }

    /// Waits until the connection is open or closed for good, but not beyond a deadline.
    func wait(until deadline: ContinuousClock.Instant, while isAway: () -> Bool) async {
        let timer = DBusTimer()
        timer.set(at: deadline) { [weak self] in self?.resumeWaiting() }
        await waiters.wait(while: isAway)
        timer.cancel()
    }

    func resumeWaiting() { waiters.resumeAll() }

    func lost() { for action in atLoss { action() } }
    func returned() { for action in atReturn { action() } }

    func ended() {
        resumeWaiting()
        let actions = atEnd.values
        atEnd = [:]
        for action in actions { action() }
    }
}
