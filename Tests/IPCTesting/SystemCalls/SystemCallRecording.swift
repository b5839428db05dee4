/// A finished trace of system calls, as written by strace with `-f -ttt -yy -o FILE`.
package struct SystemCallRecording: Sendable {
    /// The calls in the order of their start.
    package let events: [SystemCallEvent]

    /// Reads a trace.
    package init(contentsOf path: String) throws {
        self.init(text: try FileContents.text(path))
    }

    /// Reads the text of a trace. Lines that are not system calls (signals, process exits) are left out.
    package init(text: String) {
        var parser = TraceParser()
        for (number, line) in text.split(separator: "\n").enumerated() {
            parser.read(Array(line.utf8), number: number)
        }
        events = parser.finish()
    }
}

/// Assembles the lines of a trace into calls: if another thread was stopped during a call, the call is on two lines,
/// `… <unfinished ...>` and `<... name resumed>…`.
private struct TraceParser {
    private struct Unfinished {
        let text: [UInt8]
        let time: Double
        let line: Int
    }

    private var events: [SystemCallEvent] = []
    private var unfinished: [Int32: Unfinished] = [:]

    private static let cut = Array(" <unfinished ...>".utf8)
    private static let resumed = Array("<... ".utf8)

    mutating func read(_ line: [UInt8], number: Int) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3, let thread = Int32(String(decoding: words[0], as: UTF8.self)),
            let time = Double(String(decoding: words[1], as: UTF8.self))
        else { return }
        var text = Array(words[2].drop { $0 == UInt8(ascii: " ") })
        if text.suffix(Self.cut.count).elementsEqual(Self.cut) {
            text.removeLast(Self.cut.count)
            unfinished[thread] = Unfinished(text: text, time: time, line: number)
        } else if text.starts(with: Self.resumed) {
            guard let first = unfinished.removeValue(forKey: thread), let rest = text.firstIndex(of: UInt8(ascii: ">"))
            else { return }
            add(first.text + text[(rest + 1)...], thread, first.time, begin: first.line, end: number)
        } else {
            add(text, thread, time, begin: number, end: number)
        }
    }

    mutating func finish() -> [SystemCallEvent] {
        for (thread, first) in unfinished {
            add(first.text + [UInt8(ascii: ")")], thread, first.time, begin: first.line, end: nil)
        }
        return events.sorted { $0.begin < $1.begin }
    }

    private mutating func add(_ text: [UInt8], _ thread: Int32, _ time: Double, begin: Int, end: Int?) {
        guard let bracket = text.firstIndex(of: UInt8(ascii: "(")), bracket > 0,
            let (arguments, next) = TraceText.arguments(text, from: bracket + 1)
        else { return }
        // “= 12”, “= -1 EIO (…)”, or “= ?” if the process exited during the call.
        let words = text[next...].split(separator: UInt8(ascii: " "), maxSplits: 2)
        let result = end == nil || words.count < 2 ? nil : Int64(String(decoding: words[1], as: UTF8.self))
        events.append(
            SystemCallEvent(
                thread: thread, name: String(decoding: text[..<bracket], as: UTF8.self), time: time,
                // Each line has two positions, for the start and the end of a call: even a call on a single line ends
                // after it starts.
                begin: 2 * begin, end: result == nil ? .max : 2 * (end ?? begin) + 1,
                path: arguments.first.flatMap(TraceText.reference), arguments: arguments, result: result))
    }
}
