/// The output of a process to one of its streams: all bytes are kept, and lines can be awaited as they arrive.
///
/// There is one reading position, as in a terminal: each line is returned only once.
package final class LineBuffer: Sendable {
    private struct State: Sendable {
        var bytes: [UInt8] = []
        var position = 0
        /// The end of the bytes that have already been searched for the end of the next line.
        var searched = 0
        var ended = false

        /// The next line without its newline; at the end of the stream, even an unterminated one.
        mutating func takeLine() -> String? {
            let newline = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
            searched = newline ?? bytes.count
            guard newline != nil || (ended && position < bytes.count) else { return nil }
            let line = String(decoding: bytes[position..<searched], as: UTF8.self)
            position = min(searched + 1, bytes.count)
            searched = position
            return line
        }
    }

    private let state = Observed(State())
    private let name: String

    /// - Parameter name: the name for messages, such as “standard output of ipc-broker”.
    package init(_ name: String) { self.name = name }

    package var bytes: [UInt8] { state.value.bytes }

    /// Everything written so far, as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package func append(_ bytes: some Sequence<UInt8> & Sendable) { state.update { $0.bytes += bytes } }

    /// Marks the end of the stream.
    package func end() { state.update { $0.ended = true } }

    /// The next line, without its newline; `nil` at the end of the stream.
    ///
    /// - Throws: ``DeadlineExceeded`` with everything written so far.
    package func nextLine(deadline: Duration = usualDeadline) async throws -> String? {
        try await withDeadline("further line on \(name)", limit: deadline, seen: self.report) {
            try await self.state.wait { state -> String?? in
                if let line = state.takeLine() { return .some(line) }
                return state.ended ? .some(nil) : .none
            }
        }
    }

    /// The next line that `matches`; earlier lines are skipped.
    ///
    /// - Throws: ``DeadlineExceeded`` or, if the stream ends first, ``HarnessError``; both with everything written so
    ///   far.
    @discardableResult
    package func waitForLine(
        deadline: Duration = usualDeadline, matching matches: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        try await withDeadline("awaited line on \(name)", limit: deadline, seen: self.report) {
            try await self.state.wait { state in
                while let line = state.takeLine() {
                    if matches(line) { return line }
                }
                guard !state.ended else {
                    throw HarnessError("The \(self.name) ended before the awaited line. \(self.report(state))")
                }
                return nil
            }
        }
    }

    /// The next line that contains `text`. See ``waitForLine(deadline:matching:)``.
    @discardableResult
    package func waitForLine(containing text: String, deadline: Duration = usualDeadline) async throws -> String {
        try await waitForLine(deadline: deadline) { $0.contains(text) }
    }

    /// The output so far, for an error message.
    var report: String { report(state.value) }

    private func report(_ state: State) -> String {
        state.bytes.isEmpty
            ? "Nothing was written to the \(name)."
            : "Written to the \(name):\n\(String(decoding: state.bytes, as: UTF8.self))"
    }
}
