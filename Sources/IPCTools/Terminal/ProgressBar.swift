private import IPCModel

package struct ProgressTerminal: Sendable {
    let columns: @Sendable () -> Int
    /// Writes text without a newline.
    let write: @Sendable (String) -> Void

    /// Standard error; nil if it is not a terminal that understands escape sequences.
    package static var standardError: ProgressTerminal? {
        guard OutputStream.error.takesEscapes else { return nil }
        return ProgressTerminal(
            columns: { OutputStream.error.columns ?? 80 },
            write: { try? OutputStream.error.write($0) })
    }
}

/// The progress of a transfer: one line, updated in place and removed at the end. A short transfer shows nothing.
package struct ProgressBar {
    /// How long to wait before the line appears.
    private static let delay = Duration.milliseconds(500)
    /// The minimum time between two updates.
    private static let pause = Duration.milliseconds(100)

    private let label: String
    private let total: UInt64?
    private let terminal: ProgressTerminal?
    private let now: () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant?

    /// - Parameters:
    ///   - label: the action, such as `reading`.
    ///   - total: the total number of bytes; nil if it is unknown.
    ///   - terminal: the terminal to write to; nil shows nothing.
    package init(
        _ label: String, total: UInt64?, on terminal: ProgressTerminal? = .standardError,
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.label, self.total, self.terminal, self.now) = (label, total, terminal, now)
        start = now()
    }

    /// Shows the number of transferred bytes, if enough time has passed since the last update.
    package mutating func update(to done: UInt64) {
        guard let terminal else { return }
        let time = now()
        guard start.duration(to: time) >= Self.delay else { return }
        if let last, last.duration(to: time) < Self.pause { return }
        last = time
        let line = line(done, after: start.duration(to: time), columns: terminal.columns())
        terminal.write("\r" + line + "\u{1B}[K")
    }

    /// Removes the line, if there is one.
    package mutating func finish() {
        guard last != nil else { return }
        last = nil
        terminal?.write("\r\u{1B}[K")
    }

    /// The line for a terminal of this width. The last column stays free, because some terminals wrap the line there.
    private func line(_ done: UInt64, after time: Duration, columns: Int) -> String {
        let speed = Double(done) / max(time / .seconds(1), 0.001)
        let rate = "\(ByteSize.text(UInt64(speed)))/s"
        guard let total, total > 0 else {
            return shortened(["\(label)  \(ByteSize.text(done))", rate], columns)
        }
        let share = min(1, Double(done) / Double(total))
        let percent = "\(label)  \(Int(share * 100))%"
        let amount = "\(ByteSize.text(done)) of \(ByteSize.text(total))"
        let left = speed > 0 && done < total ? (Double(total - done) / speed).rounded(.up) : 0
        let time = "\(TimeLength.text(.seconds(min(left, 1e9)))) left"
        let parts = [percent, amount, rate, time]
        let text = parts.joined(separator: "  ")
        // The bar fills the remaining columns: two brackets, a gap of two spaces, and at least eight cells.
        let cells = min(40, columns - 1 - text.count - 4)
        guard cells >= 8 else { return shortened(parts, columns) }
        let full = Int(share * Double(cells))
        let bar = String(repeating: "=", count: full) + String(repeating: " ", count: cells - full)
        return ([percent, "[\(bar)]"] + parts.dropFirst()).joined(separator: "  ")
    }

    /// Joins the parts that fit; if not even the first one fits, returns its start.
    private func shortened(_ parts: [String], _ columns: Int) -> String {
        var parts = parts
        while parts.count > 1, parts.joined(separator: "  ").count > columns - 1 { parts.removeLast() }
        return String(parts.joined(separator: "  ").prefix(max(0, columns - 1)))
    }
}
