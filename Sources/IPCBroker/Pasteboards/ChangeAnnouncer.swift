internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Emits `PropertiesChanged` for programs that do not call `WaitForChange`: on the first change and after the last one
/// of a burst, with a limit per second for all pasteboards together. The bus stores signals for receivers that do not
/// read, so the number of signals must not grow with the number of changes.
@DBusActor
final class ChangeAnnouncer {
    private let connection: Connection
    private let store: Store
    private let pause: Duration
    private var waiting: [PasteboardName: PasteboardMove] = [:]
    private var order: [PasteboardName] = []
    private let timer = DBusTimer()
    private var lastSent: ContinuousClock.Instant?

    init(connection: Connection, store: Store, limits: Limits) {
        self.store = store
        self.connection = connection
        pause = .milliseconds(1000 / Int(limits.propertySignalsPerSecond))
    }

    func changed(_ moves: [PasteboardMove]) {
        for move in moves where waiting.updateValue(move, forKey: move.name) == nil { order.append(move.name) }
        if !timer.isSet { sendNext() }
    }

    private func sendNext() {
        let now = ContinuousClock.now
        if let lastSent, now < lastSent + pause { return wait(until: lastSent + pause) }
        guard !order.isEmpty else { return }
        let name = order.removeFirst()
        if let move = waiting.removeValue(forKey: name), move.state != nil {
            lastSent = now
            DBusActor.task { try? await self.send(name) }
        }
        if !order.isEmpty { wait(until: now + pause) }
    }

    private func wait(until deadline: ContinuousClock.Instant) {
        timer.set(at: deadline) { [weak self] in self?.sendNext() }
    }

    /// Sends the current state, because the state at the time of the change may be outdated.
    private func send(_ name: PasteboardName) async throws {
        guard let now = try await store.commit({ try $0.managedPasteboard(name) }) else { return }
        try connection.emit(
            Properties.changed, from: PasteboardsService.path(of: name),
            (Pasteboard1.name.text, now.state, [Pasteboard1.types.name.text]))
    }
}
