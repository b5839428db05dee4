package import IPCDBus
package import IPCModel

package struct BrokerConfiguration: Sendable {
    /// The folder of the store.
    package var store: String
    package var bus: BusAddress
    package var limits: Limits
    #if DEBUG
        /// The name of a deliberate defect, with which tests verify that they detect it; `nil` for none.
        package var control: String?
    #endif

    /// The environment variables of the process, such as `XDG_DATA_HOME` and `HOME`.
    package var environment: [String: String] = [:]

    /// The path of `ipc-desktop-open`, which opens unclaimed URLs with desktop applications; `nil` to refuse them.
    package var desktopProgram: String?

    /// Runs each time the broker has had no work for a second.
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
