internal import IPCDBus

/// Ends a broker that no program has used for a while and that holds nothing (`idle-timeout-milliseconds`).
@DBusActor
final class IdleExit {
    private var timeout: IdleTimeout?
    private let timer = DBusTimer()
    private let holdsNothing: @DBusActor () async -> Bool
    /// Runs when the broker is to exit.
    var exit: @DBusActor () -> Void = {}

    init(_ holdsNothing: @escaping @DBusActor () async -> Bool) { self.holdsNothing = holdsNothing }

    /// - Parameter time: `nil` if the broker never exits on its own.
    func set(_ time: Duration?) {
        timer.cancel()
        timeout = time.map { IdleTimeout($0, now: .now) }
        used()
    }

    /// Call this when a call has arrived or been answered.
    func used() { perform(timeout?.used(at: .now)) }

    /// Call this when the broker may hold less than before.
    func released() { perform(timeout?.released(at: .now)) }

    private func perform(_ action: IdleTimeout.Action?) {
        switch action {
        case nil, .nothing: break
        case .wait(let time): timer.set(at: time) { [weak self] in self?.perform(self?.timeout?.reached(.now)) }
        case .examine:
            DBusActor.task {
                let holdsNothing = await self.holdsNothing()
                self.perform(self.timeout?.examined(holdsNothing: holdsNothing, at: .now))
            }
        case .exit: exit()
        }
    }
}
