package import IPCDBus
package import IPCDesktop
package import IPCModel

package struct BrokerConfiguration: Sendable {
    /// The folder of the store.
    package var store: String
    package var bus: BusAddress
    package var limits: Limits
    package var logLevel = LogLevel.info
    /// How long no program must have used the broker before it exits, in milliseconds; 0 if it stays.
    package var idleTimeoutMilliseconds: UInt64 = 0
    /// Whether to take the place of a broker that already serves the bus.
    package var replaces = false
    #if DEBUG
        /// The name of a deliberate defect, with which tests verify that they detect it; `nil` for none.
        package var control: String?
    #endif

    /// The environment variables of the process, such as `XDG_DATA_HOME` and `HOME`.
    package var environment: [String: String] = [:]

    /// The path of `ipc-desktop-open`, which opens unclaimed URLs with desktop applications; `nil` if there is none.
    package var desktopProgram: String?
    /// Whether unclaimed URLs go to desktop applications.
    package var opensOnDesktop = true

    /// Runs each time the broker has had no work for a second.
    package var whenQuiet: (@Sendable () -> Void)?

    package init(store: String, bus: BusAddress = .session, limits: Limits = Limits()) {
        self.store = store
        self.bus = bus
        self.limits = limits
    }

    /// How long the broker stays although no program uses it; `nil` if it stays for good. A broker that a person has
    /// started stays, because the bus might start another one: with other options, or with another store.
    var idleTime: Duration? {
        let isStartedOnDemand = ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "NOTIFY_SOCKET"].contains {
            environment[$0] != nil
        }
        guard isStartedOnDemand, idleTimeoutMilliseconds > 0 else { return nil }
        return .milliseconds(Int(clamping: idleTimeoutMilliseconds))
    }

    package static let features = [
        "schemes", "open-url", "activation", "pasteboards", "wait-for-change", "compare-and-set", "take", "fd",
        "time-to-live", "sensitive", "once", "promises", "versions", "quotas", "queue", "requests",
        "parent", "activation-token", "policy", "direct", "desktop", "settings",
    ]
}

extension BrokerConfiguration {
    /// A setting that differs between two configurations.
    package struct Change: Hashable {
        /// The name of the setting in `ipc-broker.conf`.
        package let name: String
        package let old: String
        package let new: String
        /// Whether a running broker uses the new value. The others need the next broker: a store is opened once, and
        /// the D-Bus contract declares `Limits` as constant.
        package let isImmediate: Bool
    }

    package func changes(to next: BrokerConfiguration) -> [Change] {
        zip(settings, next.settings).compactMap { old, new in
            guard old.value != new.value else { return nil }
            return Change(name: old.name, old: old.value, new: new.value, isImmediate: old.isImmediate)
        }
    }

    /// Takes over the settings that a running broker can change.
    mutating func takeImmediate(_ next: BrokerConfiguration) {
        (logLevel, opensOnDesktop) = (next.logLevel, next.opensOnDesktop)
        idleTimeoutMilliseconds = next.idleTimeoutMilliseconds
    }

    /// The settings of `ipc-broker.conf`, always in the same order.
    private var settings: [(name: String, value: String, isImmediate: Bool)] {
        [
            ("idle-timeout-milliseconds", "\(idleTimeoutMilliseconds)", true),
            ("level", logLevel.rawValue, true), ("open", "\(opensOnDesktop)", true), ("directory", store, false),
        ] + Limits.all.map { ($0.name, "\(limits[keyPath: $0.keyPath])", false) }
    }
}
