/// The message bus that the tests run on, selected by the environment variable `IPC_TEST_BUS`.
package enum BusImplementation: String, Sendable {
    /// The reference implementation, which is the default.
    case daemon = "dbus-daemon"
    /// dbus-broker and its launcher, under a separate systemd user manager.
    case broker = "dbus-broker"

    /// The implementation for this test run. An unknown name aborts the run, which would otherwise test the wrong bus.
    package static let current: BusImplementation = {
        guard let text = environmentVariable("IPC_TEST_BUS"), !text.isEmpty else { return .daemon }
        guard let implementation = BusImplementation(rawValue: text) else {
            fatalError("IPC_TEST_BUS is “\(text)”; it must be dbus-daemon or dbus-broker.")
        }
        return implementation
    }()
}
