/// What a process writes to one of its streams: all bytes are kept, and lines can be awaited as they come.
///
/// There is one reading position, as in a terminal: a line that was handed out is not handed out again.
package final class LineBuffer: Sendable {
    private struct State: Sendable {
        var bytes: [UInt8] = []
        var position = 0
        /// Where the search for the end of the line at `position` goes on.
        var searched = 0
        var ended = false

        /// The next line without its newline; at the end of the stream also one that has none.
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

    /// `name` is used in messages: “standard output of ipc-broker”.
    package init(_ name: String) { self.name = name }

    /// Everything written so far.
    package var bytes: [UInt8] { state.value.bytes }

    /// Everything written so far, as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds bytes at the end.
    package func append(_ bytes: some Sequence<UInt8> & Sendable) { state.update { $0.bytes += bytes } }

    /// Says that nothing will follow.
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

    /// The next line that `matches`; those before it are skipped.
    ///
    /// - Throws: ``DeadlineExceeded`` or, when the stream ends first, ``HarnessError``; both with everything written
    ///   so far.
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

    /// The next line that contains `text`; those before it are skipped. Errors as ``waitForLine(deadline:matching:)``.
    @discardableResult
    package func waitForLine(containing text: String, deadline: Duration = usualDeadline) async throws -> String {
        try await waitForLine(deadline: deadline) { $0.contains(text) }
    }

    /// What was written, for a message.
    var report: String { report(state.value) }

    private func report(_ state: State) -> String {
        state.bytes.isEmpty
            ? "Nothing was written to the \(name)."
            : "Written to the \(name):\n\(String(decoding: state.bytes, as: UTF8.self))"
    }
}
