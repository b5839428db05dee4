import IPCInterface
import IPCModel
import Testing

@testable import IPC
@testable import IPCTools
@testable import ipc_client

@Suite("Reports of outcomes")
struct OutcomeReportTests {
    private func response(_ outcome: Outcome, _ change: (inout OpenURLResult) -> Void = { _ in }) throws
        -> OpenURLResponse
    {
        var result = OpenURLResult()
        (result.id, result.outcome, result.application) = ("request-0000000001", outcome.rawValue, "demo.X")
        result.attempts = 1
        change(&result)
        return try OpenURLResponse(result)
    }

    @Test(arguments: Outcome.allCases)
    func areExitCodes(_ outcome: Outcome) throws {
        let report = OutcomeReport(try response(outcome), url: "x:", waited: "20s")
        let failure = report.failure(isTold: false)
        #expect(failure?.exit ?? .success == outcome.exit)
        #expect((failure == nil) == [.handled, .delivered, .queued].contains(outcome))
        #expect(report.failure(isTold: true)?.message ?? "" == "")
        #expect(report.sentence.isEmpty == (failure == nil))
    }

    @Test func sayWhatToDoNext() throws {
        let late = OutcomeReport(try response(.timedOut), url: nil, waited: "20s").sentence
        #expect(late.contains("within 20s") && late.contains("ipc-client request show request-0000000001"))
        let missed = OutcomeReport(try response(.expired), url: nil, waited: "2s").sentence
        #expect(missed.contains("within 2s") && missed.contains("--queue") && missed.contains("--timeout"))
        let parked = try response(.failed) { ($0.errorCode, $0.errorMessage) = ("parked", "it left 3 times") }
        let sentence = OutcomeReport(parked, url: nil, waited: nil).sentence
        #expect(sentence.contains("it left 3 times (parked)") && sentence.contains("request retry"))
        let failed = try response(.failed) { $0.errorCode = "busy" }
        #expect(OutcomeReport(failed, url: nil, waited: nil).sentence == "demo.X failed: busy")
    }

    @Test func adviseOnQueuedRequests() throws {
        let late = OutcomeReport(try response(.timedOut), url: nil, waited: nil).sentence
        #expect(
            !late.contains("--timeout") && late.contains("request wait") && late.contains("ipc-client request trace"))
        let missed = OutcomeReport(try response(.expired), url: nil, waited: nil).sentence
        #expect(!missed.contains("--timeout") && missed.contains("--time-to-live") && missed.contains("request retry"))
    }

    @Test func sayWhoCancelled() throws {
        let sender = try response(.cancelled) { $0.errorCode = "called-off" }
        #expect(
            OutcomeReport(sender, url: nil, waited: nil).sentence
                == "the request was cancelled; send it again if you still want it")
        #expect(CallFailure(sender)?.description == "the request was cancelled")
        let left = try response(.cancelled) { ($0.errorCode, $0.errorMessage) = ("called-off", "the sender left") }
        #expect(OutcomeReport(left, url: nil, waited: nil).sentence.contains("was cancelled: the sender left;"))
        // A handler that cancels a request may have done part of the work, so the advice is to find out first.
        let handler = try response(.cancelled)
        #expect(
            OutcomeReport(handler, url: nil, waited: nil).sentence
                == "demo.X cancelled the request, perhaps because its user declined; find out before you send it again")
        #expect(CallFailure(handler)?.description == "the handler cancelled the request")
        let user = try response(.cancelled) { $0.errorMessage = "the user closed it" }
        #expect(
            OutcomeReport(user, url: nil, waited: nil).sentence.contains(
                "cancelled the request: the user closed it, perhaps"))
        #expect(CallFailure(user)?.description == "the handler cancelled the request: the user closed it")
    }

    @Test(arguments: [
        ("demo.X is not running", "demo.X is not running"),
        ("no such file", "demo.X could not be started: no such file"),
        ("", "demo.X could not be started"),
    ])
    func nameAnAbsentHandlerOnce(_ reason: String, _ sentence: String) throws {
        let absent = try response(.unavailable) { $0.errorMessage = reason }
        #expect(
            OutcomeReport(absent, url: nil, waited: nil).sentence
                == sentence + "; start it yourself, and send the request again")
    }

    @Test func ofARetriedRequestNameTheNewOne() throws {
        let declined = OutcomeReport(try response(.declined), url: nil, waited: nil, retriedAs: "request-0000000002")
        #expect(declined.failure(isTold: false)?.message.hasSuffix("queued again, as request-0000000002") == true)
        #expect(declined.json["retried-as"]?.string == "request-0000000002")
        #expect(OutcomeReport(try response(.declined), url: nil, waited: nil).json["retried-as"] == nil)
    }

    @Test func areOneLineForAnyTextOfHandlers() throws {
        let words = "\u{1B}[2J\n\t" + String(repeating: "x", count: 400)
        let failed = try response(.failed) { ($0.errorCode, $0.errorMessage) = ("a\nb", words) }
        let direct = OutcomeReport(failed, url: nil, waited: nil).sentence
        #expect(direct.hasPrefix(#"demo.X failed: \u001b[2J\n\txxx"#) && direct.hasSuffix(#"xxx (a\nb)"#))
        #expect(direct.contains("xxx … xxx"))
        #expect(OutcomeReport(failed, url: nil, waited: nil).json["error-message"]?.string == words)
    }

    @Test func areObjects() throws {
        let json = OutcomeReport(try response(.queued), url: "x:", waited: nil).json
        #expect(
            json.text == #"{"id":"request-0000000001","url":"x:","outcome":"queued","application":"demo.X","#
                + #""attempts":1,"reply":[]}"#)
        #expect(OutcomeReport(try response(.handled), url: nil, waited: nil).json["url"] == nil)
    }

    @Test func ofCallsComeFromTheBrokerOrByACallback() throws {
        let direct = CallReport(.success(CallReply(try response(.handled))), url: "x:", waited: "20s")
        #expect(direct.json(try response(.handled), .handled, [])["id"]?.string == "request-0000000001")
        let back = CallFailure(.failed(code: "7", message: "no"))
        let report = CallReport(.failure(back), url: "x:", waited: "20s")
        #expect(
            report.json(nil, .failed, [], back).text == #"{"url":"x:","outcome":"failed","callback":true,"reply":[],"#
                + #""error-code":"7","error-message":"no"}"#)
        let reply = CallReply(items: [.string("yes")])
        #expect(
            CallReport(.success(reply), url: "x:", waited: "20s").json(nil, .handled, reply.items)["reply"]?.array?
                .count
                == 1)
    }

    @Test func ofCallsHaveTheOutcomeOfTheirReason() throws {
        for outcome in Outcome.allCases where outcome.exit != .success {
            let failure = try #require(CallFailure(try response(outcome)))
            #expect(failure.outcome == outcome)
        }
        #expect(CallFailure(.refused(IPCError(.noHandler, "nobody"))).outcome == nil)
        #expect(CallFailure(try response(.handled)) == nil)
    }
}

@Suite("Conflicts at registration")
struct ConflictTests {
    private func claim(handles: Bool) -> Handler {
        var facts = ClaimFacts()
        (facts.application, facts.kind, facts.handler) = ("demo.Other", "persistent", handles)
        return Handler(facts, scheme: "x.demo")
    }

    /// When a URL is resolved, the reason of each claim shows why the broker chose that handler.
    @Test func areObjectsWithTheBrokersData() {
        var facts = ClaimFacts()
        (facts.application, facts.kind, facts.reason) = ("demo.X", "live", "newer")
        #expect(
            JSONValue.handler(Handler(facts, scheme: "x.demo")).text
                == #"{"scheme":"x.demo","application":"demo.X","kind":"live","reason":"newer"}"#)
    }

    @Test func sayWhoGetsTheURLsAndHowToChangeIt() {
        let lost = claim(handles: true).sentence(for: "demo.X")
        #expect(lost.contains("still goes to demo.Other") && lost.contains("ipc-client scheme default x.demo demo.X"))
        let won = claim(handles: false).sentence(for: "demo.X")
        #expect(JSONValue.handler(claim(handles: false))["handler"] == .boolean(false))
        #expect(won.contains("demo.Other claims x.demo too (persistent)") && !won.contains("default"))
    }
}
