import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPC
@testable import IPCTools
@testable import ipc_client

@Suite("Requests as rows and objects")
struct RequestRowsTests {
    private static let now = Timestamp(millisecondsSince1970: noon)
    private static let noon: UInt64 = 1_769_860_800_000
    private let plain = Style(.never, for: .output)

    /// A request that a handler has declined, with every field set.
    private func facts() -> RequestFacts {
        var facts = RequestFacts()
        (facts.id, facts.url, facts.application) = ("request-0000000001", "x.demo:a b", "demo.X")
        (facts.state, facts.outcome, facts.attempts) = ("ended", "declined", 2)
        (facts.sourceApplication, facts.sourceStrength, facts.queue) = ("demo.Y", "claimed", true)
        (facts.pasteboard, facts.changeCount, facts.itemCount, facts.size) = ("board", 7, 1, 1_536)
        (facts.accepted, facts.expires, facts.ended) = (Self.noon - 60_000, Self.noon + 1, Self.noon - 1_000)
        (facts.parent, facts.items) = ("request-0000000000", [.string("no")])
        (facts.errorCode, facts.errorMessage) = ("busy", "two\nlines")
        return facts
    }

    private func row(_ change: (inout RequestFacts) -> Void = { _ in }) throws -> RequestInfo {
        var facts = facts()
        change(&facts)
        return try RequestInfo(facts)
    }

    @Test func haveTabsInAPipe() throws {
        let table = RequestRows(requests: [try row()], now: Self.now)
        #expect(
            table.text(aligned: false, style: plain)
                == "request-0000000001\tdeclined\tdemo.X\t2\t2026-01-31T11:59:00Z\tx.demo:a b")
        #expect(RequestRows(requests: [], now: Self.now).text(aligned: false, style: plain).isEmpty)
    }

    @Test func haveColumnsOnATerminal() throws {
        let url = "x.demo:" + String(repeating: "0123456789", count: 10)
        let lines = RequestRows(
            requests: [
                try row {
                    $0.url = url
                    $0.state = "delivered"
                    $0.outcome = "queued"
                }
            ], now: Self.now
        ).text(aligned: true, style: plain, columns: 100).split(separator: "\n")
        #expect(
            lines[0].split(separator: " ").map(String.init) == ["ID", "STATE", "APPLICATION", "ATTEMPTS", "AGE", "URL"])
        #expect(lines[1].contains("  delivered  ") && lines[1].contains("  60 s  ") && lines[1].hasSuffix("…"))
        #expect(lines[1].count == 100 && lines[1].contains("x.demo:0123"))
        // Negative control: if no width is given, as in a pipe, the URL is not shortened.
        let whole = RequestRows(requests: [try row { $0.url = url }], now: Self.now)
        #expect(whole.text(aligned: true, style: plain).hasSuffix(url))
    }

    /// A URL may contain control sequences for a terminal.
    @Test func escapeControlCharacters() throws {
        let table = RequestRows(requests: [try row { $0.url = "x:\u{9B}31m" }], now: Self.now)
        #expect(!table.text(aligned: false, style: plain).unicodeScalars.contains("\u{9B}"))
    }

    @Test func areObjectsWithAllFacts() throws {
        let json = JSONValue.request(try row())
        #expect(
            json.members?.map(\.key) == [
                "id", "url", "state", "outcome", "application", "source-application", "source-strength", "queue",
                "pasteboard", "change-count", "item-count", "size", "attempts", "parent", "accepted", "expires",
                "ended",
                "error-code", "error-message",
            ])
        #expect(json["size"]?.string == "1536" && json["accepted"]?.string == "2026-01-31T11:59:00.000Z")
        #expect(json["item-count"] == .unsigned(1) && json["queue"] == .boolean(true))
        #expect(JSONValue.request(try row(), reply: true)["reply"]?.array?.count == 1)
        let late = JSONValue.request(try row { ($0.outcome, $0.lateOutcome) = ("timed-out", "handled") })
        #expect(late["outcome"]?.string == "timed-out" && late["late-outcome"]?.string == "handled")
    }

    @Test func showOneFactPerLine() throws {
        let request = try row()
        let text = RequestSummary(request, now: Self.now).text(isLocal: false, style: plain)
        let lines = text.split(separator: "\n").map(String.init)
        for start in [
            "request      request-0000000001", "state        declined", "source       demo.Y (claimed)",
            "sent         queued; 1 item, 1.5 KiB on board (change count 7)", "attempts     2",
            "accepted     2026-01-31T11:59:00Z (60 s ago)", "ended        2026-01-31T11:59:59Z (1 s ago)",
            "parent       request-0000000000", "error        busy", #"message      two\nlines"#,
        ] {
            #expect(lines.contains(start), "\(start)\n\(text)")
        }
        // No expiry is shown, because this request has ended. Of the reply, only the size is shown.
        #expect(!text.contains("expires") && text.contains("reply        1 item, 2 B"))
        let waiting = RequestSummary(
            try row { ($0.state, $0.outcome, $0.ended) = ("waiting", "queued", nil) }, now: Self.now
        ).text(isLocal: false, style: plain)
        #expect(waiting.contains("expires") && !waiting.contains("ended"))
    }

    @Test func showReleasedContent() throws {
        func sent(_ change: (inout RequestFacts) -> Void) throws -> String {
            let row = try row { facts in
                (facts.itemCount, facts.size) = (0, 0)
                change(&facts)
            }
            return RequestSummary(row, now: Self.now).text(isLocal: false, style: plain)
        }
        let handled = try sent { $0.outcome = "handled" }
        #expect(handled.contains("queued; content (released after it was handled) on board (change count 7)"))
        #expect(try sent { ($0.outcome, $0.pasteboard) = ("handled", nil) }.contains("queued; no payload"))
        #expect(try sent { $0.outcome = "declined" }.contains("queued; no payload"))
    }

    /// A handler may send any message, of any length.
    @Test func showTextOfHandlersOnOneLine() throws {
        let evil = "\u{1B}[2J\nrequest\tforged" + String(repeating: "x", count: 400)
        let row = try row { ($0.errorCode, $0.errorMessage) = ("a\nb", evil) }
        let text = RequestSummary(row, now: Self.now).text(isLocal: false, style: plain)
        #expect(text.contains(#"error        a\nb"#) && text.contains(#"message      \u001b[2J\nrequest\tforged"#))
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 330 } && text.contains("x … x"))
        // The JSON for other programs contains the whole message.
        #expect(JSONValue.request(row)["error-message"]?.string == evil)
    }

    @Test func omitAnUnknownSource() throws {
        #expect(JSONValue.request(try row { $0.sourceApplication = "" })["source-application"] == nil)
        #expect(JSONValue.request(try row())["source-application"]?.string == "demo.Y")
    }

    @Test func showALateAnswer() throws {
        let late = try row { ($0.outcome, $0.lateOutcome) = ("timed-out", "handled") }
        let text = RequestSummary(late, now: Self.now).text(isLocal: false, style: plain)
        #expect(text.contains("timed-out, later handled"))
    }
}

@Suite("Steps as rows and objects")
struct TraceTableTests {
    private let steps = [
        TraceStep(.queued, at: 1_769_860_800_123, who: "demo.Y", size: 5),
        TraceStep(.handlerLeft, at: 1_769_860_801_000, attempt: 1, who: ":1.7", detail: "a\tb"),
    ]

    @Test func haveTabsInAPipe() {
        let lines = TraceTable(steps: steps).text(aligned: false, style: Style(.never, for: .output)).split(
            separator: "\n")
        let first = lines[0].split(separator: "\t", omittingEmptySubsequences: false)
        #expect(first == ["2026-01-31T12:00:00.123Z", "queued", "", "demo.Y", "5", ""])
        #expect(lines[1].hasSuffix("\thandler-left\t1\t:1.7\t\ta\\tb"))
        #expect(TraceTable(steps: []).text(aligned: false, style: Style(.never, for: .output)).isEmpty)
    }

    @Test func areObjects() {
        #expect(
            TraceTable(steps: steps).json.map(\.text) == [
                #"{"time":"2026-01-31T12:00:00.123Z","step":"queued","who":"demo.Y","size":"5"}"#,
                #"{"time":"2026-01-31T12:00:01.000Z","step":"handler-left","attempt":1,"who":":1.7","detail":"a\tb"}"#,
            ])
    }
}
