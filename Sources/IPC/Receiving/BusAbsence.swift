internal import Glibc
internal import IPCDBus

/// The absence of the bus, during which a receiver waits for it.
///
/// A program that a bus has started belongs to that bus, and ends if the bus does not return. Other programs wait for
/// ever.
@DBusActor
final class BusAbsence {
    /// The longest wait; `nil` for ever.
    var patience: Duration?
    var began: (@Sendable () -> Void)?
    /// Runs when the bus has been away for longer than ``patience``.
    private let isOver: @DBusActor (IPCError) -> Void
    private let timer = DBusTimer()

    init(_ connection: Connection, isOver: @escaping @DBusActor (IPCError) -> Void) {
        self.isOver = isOver
        patience = Self.isStartedByBus { getenv($0) != nil } ? BrokerLink.absence : nil
        connection.onDisconnect { [weak self] in self?.begin() }
        connection.onReconnect { [weak self] in self?.timer.cancel() }
    }

    /// Whether a bus has started this process, by the variables of the D-Bus Specification (“Message Bus Starting
    /// Services”).
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
