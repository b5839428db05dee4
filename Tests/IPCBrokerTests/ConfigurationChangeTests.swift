import IPCDesktop
import IPCModel
import Testing

@testable import IPCBroker

@Suite struct ConfigurationChangeTests {
    private let old = BrokerConfiguration(store: "/old")

    @Test func `equal configurations have no changes`() {
        #expect(old.changes(to: old) == [])
    }

    @Test func `a change names the setting, both values, and whether a running broker uses the new one`() throws {
        var new = BrokerConfiguration(store: "/new")
        new.logLevel = .debug
        new.opensOnDesktop = false
        new.idleTimeoutMilliseconds = 60_000
        try new.limits.set("watchers", 7)
        #expect(
            Set(old.changes(to: new)) == [
                .init(name: "level", old: "info", new: "debug", isImmediate: true),
                .init(name: "idle-timeout-milliseconds", old: "0", new: "60000", isImmediate: true),
                .init(name: "open", old: "true", new: "false", isImmediate: true),
                .init(name: "directory", old: "/old", new: "/new", isImmediate: false),
                .init(name: "watchers", old: "10000", new: "7", isImmediate: false),
            ])
    }

    /// What a running broker cannot change is reported again at the next reload.
    @Test func `a running broker takes over only the settings that it can change`() throws {
        var new = BrokerConfiguration(store: "/new")
        new.logLevel = .debug
        new.opensOnDesktop = false
        try new.limits.set("watchers", 7)
        var current = old
        current.takeImmediate(new)
        #expect(current.logLevel == .debug && !current.opensOnDesktop && current.idleTimeoutMilliseconds == 0)
        #expect(current.store == "/old" && current.limits == old.limits)
        #expect(current.changes(to: new).map(\.name) == ["directory", "watchers"])
    }
}
