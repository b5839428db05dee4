/// A program that can be the message bus of the tests.
package enum BusImplementation: String, Sendable {
    /// The reference implementation.
    case daemon = "dbus-daemon"
    /// dbus-broker and its launcher, under a separate systemd user manager.
    case broker = "dbus-broker"

    /// The message bus of this test run, selected by the environment variable `IPC_TEST_BUS`; dbus-daemon by default.
    /// An unknown name aborts the run, which would otherwise test the wrong bus.
    package static let current: BusImplementation = {
        guard let text = environmentVariable("IPC_TEST_BUS"), !text.isEmpty else { return .daemon }
        guard let implementation = BusImplementation(rawValue: text) else {
            fatalError("IPC_TEST_BUS is “\(text)”; it must be dbus-daemon or dbus-broker.")
        }
        return implementation
    }()

    /// Starts the bus, and returns when it accepts connections.
    func start(in files: BusDirectory) async throws -> BusProcesses {
        switch self {
        case .daemon: try await .startDaemon(in: files)
        case .broker: try await .startBroker(in: files)
        }
    }
}

extension PrivateBus {
    /// Starts a bus with its files on a disk; see ``PrivateBus/start(in:by:)``.
    ///
    /// - Throws: a ``HarnessError`` if this machine cannot run this implementation.
    package static func start(_ implementation: BusImplementation = .current) async throws -> PrivateBus {
        try await start(in: TemporaryDirectory("bus"), by: implementation.start(in:))
    }
}
