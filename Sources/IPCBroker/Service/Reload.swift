internal import IPCDBus
internal import IPCModel
internal import Logging

/// Reads the configuration and the installed claims again while the broker runs (SIGHUP), and logs what has changed.
@DBusActor
final class Reload {
    /// The settings in use.
    private(set) var configuration: BrokerConfiguration
    private let read: @Sendable () throws -> BrokerConfiguration
    private let schemes: SchemesService
    private let idle: IdleExit
    private let log: LogOutput

    init(
        _ configuration: BrokerConfiguration, _ read: @escaping @Sendable () throws -> BrokerConfiguration,
        _ schemes: SchemesService, _ idle: IdleExit, _ log: LogOutput
    ) {
        (self.configuration, self.read, self.schemes, self.log) = (configuration, read, schemes, log)
        self.idle = idle
    }

    func run() {
        var reloaded = "reloaded"
        do { take(try read()) } catch {
            reloaded = "only the installed claims were read again"
            let reason = (error as? any Condition)?.ipcError.message ?? "\(error)"
            log.tell(.error, "the configuration stays as it is: \(reason)")
        }
        let changes = schemes.reloadInstalled()
        for change in changes { log.tell(.notice, "the installed claims have changed a handler", change.fields) }
        log.tell(.notice, reloaded, ["changed-handlers": "\(changes.count)"])
    }

    /// Puts the settings of a configuration into use that may change while the broker runs.
    func take(_ next: BrokerConfiguration) {
        for change in configuration.changes(to: next) {
            let message =
                change.isImmediate
                ? "a setting has changed" : "a setting has changed; the next broker that starts will use it"
            log.tell(.notice, message, ["setting": change.name, "from": change.old, "to": change.new])
        }
        configuration.takeImmediate(next)
        log.setLevel(configuration.logLevel)
        idle.set(configuration.idleTime)
        schemes.desktop?.isEnabled = configuration.opensOnDesktop
    }
}

extension SchemeChange {
    fileprivate var fields: [String: String] {
        ["scheme": scheme.spelling, "from": old?.text ?? "none", "to": new?.text ?? "none"]
    }
}
