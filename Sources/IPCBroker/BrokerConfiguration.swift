package import IPCDBus
package import IPCModel

/// The values that a broker is started with.
package struct BrokerConfiguration: Sendable {
    /// The folder of the store.
    package var store: String
    package var bus: BusAddress
    package var limits: Limits
    #if DEBUG
        /// A deliberate defect for tests that must see their promise broken. Release programs have none.
        package var control: String?
    #endif

    /// `XDG_DATA_HOME`, `XDG_DATA_DIRS` and `HOME`.
    package var environment: [String: String] = [:]

    /// `ipc-desktop-open`, which knows the handlers of the desktop; `nil` if no unclaimed URL is opened.
    package var desktopProgram: String?

    /// Runs when a second has passed without work.
    package var whenQuiet: (@Sendable () -> Void)?

    package init(store: String, bus: BusAddress = .session, limits: Limits = Limits()) {
        self.store = store
        self.bus = bus
        self.limits = limits
    }

    package static let features = [
        "schemes", "open-url", "activation", "pasteboards", "wait-for-change", "compare-and-set", "take", "fd",
        "time-to-live", "sensitive", "once", "promises", "versions", "quotas", "queue", "requests",
        "parent", "activation-token", "policy", "direct", "desktop",
    ]
}
