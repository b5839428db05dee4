internal import Glibc
internal import IPCDBus

/// The absence of the bus, during which a receiver waits for it.
///
/// A program that the bus has started belongs to that bus, and ends if the bus does not come back. All others wait for
/// ever.
@DBusActor
final class BusAbsence {
    /// How long a program waits that the bus has started: as long as a restart of the bus may take.
    private static let patienceOfStarted = BrokerLink.absence

    /// How long this one waits; `nil` for ever.
    var patience: Duration?
    /// Runs at the beginning of each absence.
    var began: (@Sendable () -> Void)?
    /// Runs when the bus has been away for longer than that.
    private let isOver: @DBusActor (IPCError) -> Void
    private let timer = DBusTimer()

    init(_ connection: Connection, isOver: @escaping @DBusActor (IPCError) -> Void) {
        self.isOver = isOver
        patience = Self.isStartedByBus { getenv($0) != nil } ? Self.patienceOfStarted : nil
        connection.onDisconnect { [weak self] in self?.begin() }
        connection.onReconnect { [weak self] in self?.timer.cancel() }
    }

    /// Whether a bus has started this process, by what the D-Bus Specification (“Message Bus Starting Services”) has it
    /// say in the environment.
    nonisolated static func isStartedByBus(_ hasVariable: (String) -> Bool) -> Bool {
        ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE"].contains(where: hasVariable)
    }

    private func begin() {
        began?()
        guard let patience else { return }
        timer.set(at: .now + patience) { [weak self] in
            self?.isOver(
                IPCError(
                    .storeUnavailable,
                    "the message bus that started this program has been away for \(patience.components.seconds) s; "
                        + "the next bus starts it when it is needed"))
        }
    }
}
