package import IPCDBus

/// A line on a terminal while another program works on something whose progress cannot be seen: what it does, and for
/// how long. It appears after half a second, and is removed at the end.
@DBusActor
package final class WaitingLine {
    private static let pause = Duration.milliseconds(500)

    private let label: String
    private let terminal: ProgressTerminal
    private let start = ContinuousClock.now
    private let timer = DBusTimer()
    private var isShown = false

    private init(_ label: String, on terminal: ProgressTerminal) {
        (self.label, self.terminal) = (label, terminal)
        wait()
    }

    /// Shows the line until the work ends.
    /// - Parameters:
    ///   - label: the work, such as `storing 2.8 GiB`; nil shows nothing.
    ///   - terminal: the terminal to write to; nil shows nothing.
    package static func during<Value, Failure>(
        _ label: String?, on terminal: ProgressTerminal? = .standardError,
        _ work: @DBusActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let label, let terminal else { return try await work() }
        let line = WaitingLine(label, on: terminal)
        defer { line.end() }
        return try await work()
    }

    private func wait() {
        timer.set(at: .now + Self.pause) { [weak self] in
            self?.show()
            self?.wait()
        }
    }

    private func show() {
        isShown = true
        let text = "\(label)  \(TimeLength.text(start.duration(to: .now)))"
        terminal.write("\r" + text.prefix(max(0, terminal.columns() - 1)) + "\u{1B}[K")
    }

    private func end() {
        timer.cancel()
        if isShown { terminal.write("\r\u{1B}[K") }
    }
}
