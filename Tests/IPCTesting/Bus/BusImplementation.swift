/// The message bus that the tests run on; the environment variable `IPC_TEST_BUS` chooses.
package enum BusImplementation: String, Sendable {
    /// The reference implementation; the choice when nothing is said.
    case daemon = "dbus-daemon"
    /// dbus-broker and its launcher, below a systemd user manager of its own.
    case broker = "dbus-broker"

    /// The implementation of this run. Another name than these ends the run: it would test the wrong bus.
    package static let current: BusImplementation = {
        guard let text = environmentVariable("IPC_TEST_BUS"), !text.isEmpty else { return .daemon }
        guard let implementation = BusImplementation(rawValue: text) else {
            fatalError("IPC_TEST_BUS is “\(text)”; it must be dbus-daemon or dbus-broker.")
        }
        return implementation
    }()
}
