internal import IPCModel
internal import Logging

/// How the broker writes its log.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-01-31T12:00:00.123Z info: ready (bus=:1.1, store=/home/me/store)`
    case text
    /// One JSON object per line, with the members `time`, `level`, `message` and `fields`.
    case json
}

/// One message of the log.
struct LogEntry {
    var time: Timestamp
    var level: Logger.Level
    var message: String
    /// More about the message, such as the path of a file.
    var fields: [String: String] = [:]

    /// The entry on one line, with a newline at its end. A reader never sees two entries in one, or an escape sequence.
    /// - Parameter isForJournal: whether the journal reads the line. It gets the priority, which it removes from the
    ///   line (sd-daemon(3)), and no time in a text, because it adds its own.
    func line(_ format: LogFormat, isForJournal: Bool) -> String {
        let content =
            switch format {
            case .text: text(isTimed: !isForJournal)
            case .json: json
            }
        return (isForJournal ? "<\(level.priority)>" : "") + content + "\n"
    }

    private func text(isTimed: Bool) -> String {
        let more = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        let beginning = isTimed ? "\(time.precise) \(level): " : ""
        return (beginning + message + (more.isEmpty ? "" : " (\(more))")).onOneLine
    }

    private var json: String {
        JSONValue.object([
            "time": .string(time.precise), "level": .string("\(level)"), "message": .string(message),
            "fields": .strings(fields),
        ]).text
    }
}

extension Logger.Level {
    /// The priority of syslog(3): 3 for errors, 7 for the least important messages.
    fileprivate var priority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
