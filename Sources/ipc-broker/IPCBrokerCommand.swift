import ArgumentParser
import CJemalloc
import FoundationEssentials
import IPCBroker
import IPCDesktop
import IPCModel
import Logging

@main
struct IPCBrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipc-broker",
        abstract: "Routes URLs to their handlers and keeps pasteboards, as org.swiftipc.Broker1 on the session bus.",
        discussion: """
            Usually the bus starts the broker. The broker is ready when its bus name appears. SIGTERM stops it within \
            2 s: it waits up to 1 s for handlers to answer, closes the store, and exits with 0. Senders whose requests \
            are still open get NoReply, and can repeat them with the next broker. SIGHUP makes it read the \
            configuration file and the installed claims again, and log what has changed; a file with a mistake changes \
            nothing. SIGUSR1 makes it log its state.

            A configuration file can set the limits, the store's folder and the log level: ipc-broker.conf in \
            $XDG_CONFIG_HOME/swift-ipc (~/.config/swift-ipc). A sample that explains all settings is installed in \
            share/doc/swift-ipc. Options and the environment take precedence over the file. If the file has a mistake, \
            the broker exits with 65. If the file given with --config is missing, it exits with 66.

            EXAMPLES
              ipc-broker
              ipc-broker --store /tmp/trial --log-level debug
              ipc-broker --replace
              ipc-broker --limit watchers=100 --limit pasteboards=1000
              ipc-broker --config /etc/swift-ipc/ipc-broker.conf
            """,
        version: ProductVersion.text)

    @Option(
        help: ArgumentHelp(
            "The configuration file (default: $XDG_CONFIG_HOME/swift-ipc/ipc-broker.conf, if it exists).",
            valueName: "file"))
    var config: String?

    @Option(
        help: """
            The folder of the store (default: $SWIFT_IPC_STORE, or the folder in the configuration file, or \
            $XDG_DATA_HOME/swift-ipc/store).
            """)
    var store: String?

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp("Set a limit; ipc-broker.conf(5) lists them.", valueName: "name=value"),
        transform: LimitSetting.parse)
    var limits: [LimitSetting] = []

    @Option(
        help: """
            The log level: trace, debug, info (default), notice, warning or error. The log goes to standard error, and \
            never includes content.
            """)
    var logLevel: LogLevel?

    @Option(
        help: """
            The form of the log: text, or json with one object per line (time, level, message, fields). If the log goes \
            to systemd's journal, each line starts with its priority, which the journal removes.
            """)
    var logFormat: LogFormat = .text

    @Flag(
        help: """
            Take the place of the broker that serves the bus. It stores everything and exits; calls wait for the new \
            broker, but pasteboards in memory lose their content.
            """)
    var replace = false

    /// Skips the parser if there are no arguments, as when the bus starts the broker. Parsing would take a third of the
    /// time until the broker is ready.
    static func main() {
        do {
            let arguments = try CommandWords.checked()
            guard !arguments.isEmpty else { return try BrokerStart().run() }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch { CommandEnd(of: error).exit() }
    }

    func run() throws {
        try BrokerStart(
            config: config, store: store, limits: limits, logLevel: logLevel, logFormat: logFormat, replaces: replace
        ).run()
    }
}

/// Runs the broker with the arguments of the command line.
struct BrokerStart: Sendable {
    var config: String?
    var store: String?
    var limits: [LimitSetting] = []
    var logLevel: LogLevel?
    var logFormat = LogFormat.text
    var replaces = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let log = LogOutput(logFormat, environment: environment)
        LoggingSystem.bootstrap { _ in log.handler }
        let logger = Logger(label: "ipc-broker")
        do {
            try BrokerProcess.run(reading: { try configuration(environment) }, log: log)
        } catch Broker.End.busLost {
            // The session is over when its bus is gone, so this is not an error.
            logger.notice("the connection to the message bus was closed, so the broker exits")
        } catch Broker.End.replaced {
            logger.notice("another broker has taken the place of this one, which exits")
        } catch {
            let failure = BrokerFailure(error)
            logger.error("\(failure.sentence)")
            throw ExitCode(failure.exitCode)
        }
    }

    /// Reads the configuration file, over which the command line and the environment take precedence.
    private func configuration(_ environment: [String: String]) throws -> BrokerConfiguration {
        let file = try ConfigurationFile.load(config, environment: environment)
        var configuration = BrokerConfiguration(store: try StoreLocation.resolve(store, configured: file.store))
        for setting in file.limits { try configuration.limits.set(setting.name, setting.value) }
        for setting in limits { try configuration.limits.set(setting.name, setting.value) }
        configuration.idleTimeoutMilliseconds = file.idleTimeoutMilliseconds
        configuration.replaces = replaces
        configuration.logLevel = logLevel ?? file.logLevel ?? .info
        configuration.environment = environment
        configuration.desktopProgram = Self.beside("ipc-desktop-open")
        configuration.opensOnDesktop = file.opensOnDesktop
        configuration.whenQuiet = { cjemalloc_give_memory_back() }
        #if DEBUG
            configuration.control = environment["SWIFT_IPC_TEST_CONTROL"]
        #endif
        return configuration
    }

    /// The path of a program in the same directory as this one. Installations and builds put them side by side.
    private static func beside(_ program: String) -> String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/\(program)"
    }
}

/// A limit from the command line, as `name=value`.
struct LimitSetting: Sendable {
    let name: String
    let value: UInt64

    /// - Throws: a `ValidationError` with an example.
    static func parse(_ argument: String) throws -> LimitSetting {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = UInt64(parts[1]) else {
            throw ValidationError("give a name and a whole number, such as watchers=100.")
        }
        return LimitSetting(name: String(parts[0]), value: value)
    }
}

extension LogLevel: ExpressibleByArgument {}

extension LogFormat: ExpressibleByArgument {}

enum StoreLocation {
    /// Returns the first folder that is given: by the option, the environment, the configuration file or XDG variables.
    static func resolve(_ asked: String?, configured: String?) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let path = asked ?? environment["SWIFT_IPC_STORE"], !path.isEmpty {
            return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        }
        guard let folder = configured ?? BaseDirectories(environment: { environment[$0] }).store else {
            throw IPCError(
                .storeUnavailable, "there is no folder for the store; set XDG_DATA_HOME or HOME, or give --store")
        }
        return folder
    }
}

/// The error message and the exit code of a broker that could not start or had to stop.
struct BrokerFailure {
    let sentence: String
    let exitCode: Int32

    init(_ error: any Error) {
        switch error {
        case let invalid as ConfigurationFile.Invalid where invalid.isMissing:
            (sentence, exitCode) = (invalid.ipcError.message, IPCModel.ExitCode.noInput.rawValue)
        case let condition as any Condition:
            (sentence, exitCode) = (condition.ipcError.message, condition.ipcError.exit.rawValue)
        case Broker.End.alreadyRunning(let owner):
            sentence =
                "another broker already serves this bus (\(owner)); a session bus can have only one. "
                + "To take its place, give --replace"
            exitCode = IPCModel.ExitCode.cannotCreate.rawValue
        case Broker.End.otherStore(let served, let own):
            sentence =
                "the broker that serves this bus has the store \(served.quoted), so a broker with the store "
                + "\(own.quoted) cannot take its place without losing its claims and requests. Give --store "
                + "\(served.quoted), or stop that broker first with SIGTERM"
            exitCode = IPCModel.ExitCode.cannotCreate.rawValue
        case Broker.End.notReplaced(let reason):
            sentence = "the broker that serves this bus cannot be replaced: \(reason). Stop it with SIGTERM"
            exitCode = IPCModel.ExitCode.cannotCreate.rawValue
        case Broker.End.systemBus:
            sentence = "the broker serves session buses only; on the system bus it would serve every user"
            exitCode = IPCModel.ExitCode.notPermitted.rawValue
        case Broker.End.noBus(let reason):
            sentence = "\(reason). Start the broker in a session, or with dbus-run-session"
            exitCode = IPCModel.ExitCode.unavailable.rawValue
        case Broker.End.storeFailed(let reason):
            sentence = "the store failed, so the broker exits without acknowledging anything more: \(reason)"
            exitCode = IPCModel.ExitCode.inputOutput.rawValue
        default:
            (sentence, exitCode) = ("\(error)", IPCModel.ExitCode.inputOutput.rawValue)
        }
    }
}
