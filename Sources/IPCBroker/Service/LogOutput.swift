internal import Glibc
package import IPCDesktop
internal import IPCModel
package import Logging
private import Synchronization

/// The broker's log: messages from a level on, written to standard error in one format. All loggers of ``logger`` share
/// the level, so a change takes effect in every part of the broker.
package final class LogOutput: Sendable {
    private let format: LogFormat
    private let isJournal: Bool
    private let state: Mutex<Logger.Level>

    /// - Parameter environment: `JOURNAL_STREAM` tells whether standard error leads to systemd's journal.
    package init(_ format: LogFormat, environment: [String: String]) {
        self.format = format
        isJournal = Self.isJournal(STDERR_FILENO, environment["JOURNAL_STREAM"])
        state = Mutex(LogLevel.info.level)
    }

    package var handler: any LogHandler { LogOutputHandler(output: self) }

    var logger: Logger { Logger(label: "ipc-broker") { _ in self.handler } }

    /// The least severe messages that are logged.
    package func setLevel(_ level: LogLevel) { state.withLock { $0 = level.level } }

    fileprivate var level: Logger.Level { state.withLock { $0 } }

    /// Writes a message whatever its level, because the user has asked for it (SIGHUP, SIGUSR1).
    package func tell(_ level: Logger.Level, _ message: String, _ fields: [String: String] = [:]) {
        write(LogEntry(time: .now, level: level, message: message, fields: fields))
    }

    fileprivate func write(_ entry: LogEntry) {
        var line = entry.line(format, isForJournal: isJournal)
        // One call, so that lines of several threads do not mix. If nobody reads the log, it is lost.
        _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether a descriptor leads to the journal: `stream` names its device and inode (systemd.exec(5)).
    static func isJournal(_ descriptor: CInt, _ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}

/// Passes the messages of one logger to the shared output.
private struct LogOutputHandler: LogHandler {
    let output: LogOutput
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// The level belongs to the output; a logger cannot have its own.
    var logLevel: Logger.Level {
        get { output.level }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        output.write(LogEntry(time: .now, level: event.level, message: "\(event.message)", fields: fields))
    }
}

extension LogLevel {
    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
