internal import IPCDBus

/// Keeps the service manager's line about the broker up to date (`systemctl status`). Nothing runs while nothing changes.
@DBusActor
final class ServiceStatus {
    private let manager: NotifySocket
    private let reader: BrokerStateReader
    private var pace = UpdatePace(interval: .seconds(1))
    private let timer = DBusTimer()
    private var told = ""

    init(_ manager: NotifySocket, _ reader: BrokerStateReader) { (self.manager, self.reader) = (manager, reader) }

    /// Call this when the state may have changed.
    func changed() {
        guard let time = pace.changed(at: .now) else { return }
        timer.set(at: time) { [weak self] in self?.report() }
    }

    private func report() {
        pace.reports(at: .now)
        DBusActor.task {
            // If the store has failed, the broker is about to exit.
            guard let status = try? await self.reader.state().status, status != self.told else { return }
            self.told = status
            self.manager.tell(.status(status))
        }
    }
}
