import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

private let id = "0123456789abcdef"
private let requestID: RequestID = "0123456789abcdef"

/// Tests of queued requests, and of queries about requests by their ids.
@DBusActor
struct RequestTests {
    @Test func optionsOfAQueuedRequestAreSent() async throws {
        let pair = try await Pair(id: "demo.IPCClient")
        pair.broker.open = { _, options in result(options.queue == true ? "queued" : "handled") }
        var options = OpenOptions()
        (options.isQueued, options.requestTimeToLive, options.parent) = (true, .seconds(90), "parent-of-16-characters")
        options.activationToken = "token"
        let queued = try await pair.application.open("x:", options: options)
        #expect(queued.outcome == .queued && queued.id == requestID && !queued.isHandled)
        let sent = pair.broker.opened[0].options
        #expect(sent.queue == true && sent.timeToLive == 90_000 && sent.parent == "parent-of-16-characters")
        #expect(sent.activationToken == "token" && sent.fd == true && sent.timeout == nil && sent.repeated == nil)
        #expect(sent.set == nil)
        options.timeout = .seconds(3)
        _ = try await pair.application.open("x:", options: options)
        #expect(pair.broker.opened[1].options.timeout == 3_000)
        // Negative control: a request whose sender waits has none of these options.
        #expect(try await pair.application.open("x:").outcome == .handled)
        let waiting = pair.broker.opened[2].options
        #expect(waiting.queue == nil && waiting.timeToLive == nil && waiting.parent == nil && waiting.timeout == 20_000)
        #expect(waiting.activationToken == nil && waiting.repeated == nil)
    }

    @Test func queueingReturnsAHandle() async throws {
        let pair = try await Pair()
        pair.broker.open = { _, options in result(options.queue == true ? "queued" : "handled") }
        pair.broker.requests.wait = { asked, _ in result("handled", id: asked) }
        let request = try await pair.application.queue("x:", sending: [.string("later")])
        #expect(pair.broker.opened[0].options.queue == true && request.id == requestID)
        #expect(request == pair.application.request(requestID))
        #expect(try await request.wait().outcome == .handled)
        #expect(pair.broker.requests.waited.map(\.id) == [id])
    }

    @Test func allFactsOfARequestAreRead() async throws {
        let pair = try await Pair()
        pair.broker.requests.facts = { asked in
            var facts = RequestFacts()
            (facts.id, facts.url, facts.state, facts.outcome) = (asked, "x:1", "ended", "timed-out")
            (facts.lateOutcome, facts.application, facts.queue) = ("handled", "demo.IPCServer", true)
            (facts.sourceApplication, facts.sourceStrength) = ("demo.IPCClient", "owned")
            (facts.pasteboard, facts.changeCount, facts.itemCount, facts.size) = ("board", 7, 2, 1 << 40)
            (facts.attempts, facts.parent) = (3, "parent-of-16-characters")
            (facts.accepted, facts.expires, facts.ended) = (1, 2, 3)
            (facts.items, facts.errorName, facts.errorCode) = ([.string("late")], "a.b", "busy")
            facts.errorMessage = "another time"
            return facts
        }
        let request = try await pair.application.request(requestID).info()
        #expect(
            request.id == requestID && request.url == "x:1" && request.state == .ended && request.outcome == .timedOut)
        #expect(request.lateOutcome == .handled && request.application == "demo.IPCServer" && request.isQueued)
        #expect(request.source == Source(application: "demo.IPCClient", strength: .owned))
        #expect(request.pasteboard == "board" && request.changeCount == 7 && request.itemCount == 2)
        #expect(request.byteCount == 1 << 40 && request.attempts == 3 && request.parent == "parent-of-16-characters")
        let times = [request.acceptedAt, request.expiresAt, request.endedAt]
        #expect(times.map { $0?.millisecondsSince1970 } == [1, 2, 3] && request.reply == [.string("late")])
        #expect(request.errorName == "a.b" && request.errorCode == "busy" && request.errorMessage == "another time")
        #expect(try await pair.application.request(requestID).outcome == .timedOut)
    }

    @Test func anUnknownWordIsAnError() async throws {
        let pair = try await Pair()
        for (state, outcome) in [("asleep", "queued"), ("waiting", "maybe"), (nil, "queued")] {
            pair.broker.requests.facts = { _ in
                var facts = RequestFacts()
                (facts.state, facts.outcome) = (state, outcome)
                return facts
            }
            let error = await #expect(throws: IPCError.self) {
                try await pair.application.request(requestID).info()
            }
            #expect(error?.code == .storeUnavailable)
        }
        // An empty id in the broker's answer is an error of the broker, not of the caller.
        pair.broker.open = { _, _ in result("handled", id: "") }
        let nameless = await #expect(throws: IPCError.self) { try await pair.application.open("x:") }
        #expect(nameless?.code == .storeUnavailable)
        let short = "short"
        let error = #expect(throws: IPCError.self) { try RequestID(short) }
        #expect(error?.code == .invalidArguments)
    }

    @Test func listsAreReadPageByPage() async throws {
        let pair = try await Pair()
        pair.broker.requests.rows = (1...5).map { number in
            var facts = RequestFacts()
            (facts.id, facts.outcome) = ("request-number-\(number)", "queued")
            facts.state = number % 2 == 0 ? "waiting" : "delivered"
            return facts
        }
        let all = try await pair.application.requests().all()
        #expect(all.map(\.id.text) == (1...5).map { "request-number-\($0)" })
        #expect(
            pair.broker.requests.listed.map(\.after) == [
                nil, "request-number-2", "request-number-4", "request-number-5",
            ])
        let waiting = try await pair.application.requests(state: .waiting, application: "demo.IPCServer").all()
        #expect(waiting.map(\.id) == ["request-number-2", "request-number-4"])
        #expect(pair.broker.requests.listed.last?.application == "demo.IPCServer")
        _ = try await pair.application.requests(outcome: .timedOut).all()
        #expect(pair.broker.requests.listed.last?.state == "timed-out")
    }

    @Test func waitingPollsUntilTheOutcome() async throws {
        let pair = try await Pair()
        pair.broker.requests.wait = { _, _ in
            result(pair.broker.requests.waited.count < 3 ? "queued" : "handled", [.string("done")])
        }
        let response = try await pair.application.request(requestID).wait()
        #expect(response.outcome == .handled && response.reply == [.string("done")])
        #expect(pair.broker.requests.waited.map(\.id) == [id, id, id])
        #expect(pair.broker.requests.waited.allSatisfy { $0.options.fd == true && $0.options.timeout == 20_000 })
    }

    @Test func waitingEndsAtItsOwnTimeout() async throws {
        let pair = try await Pair()
        pair.broker.requests.wait = { _, _ in result("queued") }
        let response = try await pair.application.request(requestID).wait(timeout: .milliseconds(30))
        #expect(response.outcome == .queued)
        #expect(pair.broker.requests.waited.allSatisfy { $0.options.timeout ?? 0 <= 30 })
        #expect(try await pair.application.request(requestID).wait(timeout: .zero).outcome == .queued)
    }

    @Test func stoppingAWaitDoesNotCancelTheRequest() async throws {
        let pair = try await Pair()
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.requests.wait = { _, _ in
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        let task = Task { try await pair.application.request(requestID).wait() }
        _ = try await asked.wait(for: 1)
        task.cancel()
        await #expect(throws: IPCError.self) { try await task.value }
        _ = try await pair.application.brokerDescription()
        #expect(pair.broker.requests.cancelled.elements.isEmpty)
        gate.end()
    }

    @Test func requestsCanBeCancelledRetriedDroppedAndTraced() async throws {
        let pair = try await Pair()
        let requests = pair.broker.requests
        try await pair.application.request(requestID).cancel()
        #expect(requests.cancelled.elements == [id])

        requests.retry = { asked, options in asked == id ? options.id ?? "" : "" }
        #expect(try await pair.application.request(requestID).retry(as: "fedcba9876543210").id == "fedcba9876543210")
        #expect(try await pair.application.request(requestID).retry().id.text.utf8.count == 36)

        let dropped = Collected<String>()
        requests.drop = { dropped.add($0) }
        try await pair.application.request(requestID).drop()
        #expect(dropped.elements == [id])

        var (step, unknown) = (TraceFacts(), TraceFacts())
        (step.step, step.time, step.attempt, step.who) = ("delivered", 5, 2, ":1.4")
        (step.size, step.detail, unknown.step) = (9, "again", "teleported")
        requests.steps = [step, unknown]
        let steps = try await pair.application.request(requestID).trace()
        #expect(steps == [TraceStep(.delivered, at: 5, attempt: 2, who: ":1.4", size: 9, detail: "again")])
    }

    @Test func outcomesAreReportedToListeners() async throws {
        let pair = try await Pair()
        let completions = try await pair.application.completions()
        let second = try await pair.application.completions()
        try await pair.complete(id, "handled")
        try await pair.complete(id, "no outcome")
        try await pair.complete("fedcba9876543210", "expired")
        _ = try await pair.application.brokerDescription()
        await pair.application.close()
        for sequence in [completions, second] {
            var seen: [RequestCompletion] = []
            for await completion in sequence { seen.append(completion) }
            #expect(seen.map(\.outcome) == [.handled, .expired] && seen.first?.id == requestID)
        }
    }

    @Test func policiesAreSentAndRead() async throws {
        let pair = try await Pair()
        #expect(try await pair.application.policy() == AccessPolicy())
        let policy = AccessPolicy(allowsOthers: false, allowed: ["demo.B", "demo.A"], refused: ["demo.C"])
        try await pair.application.setPolicy(policy, of: "demo.Other")
        let sent = try #require(pair.broker.requests.policies["demo.Other"])
        #expect(sent.others == "deny" && sent.allow == ["demo.A", "demo.B"] && sent.deny == ["demo.C"])
        #expect(try await pair.application.policy(of: "demo.Other") == policy)
        #expect(try await pair.application.policy() == AccessPolicy())
        try await pair.application.setPolicy(AccessPolicy(allowsOthers: false))
        #expect(try await pair.application.policy() == AccessPolicy(allowsOthers: false))
        pair.broker.requests.policies["demo.Other"]?.deny = ["no id"]
        let error = await #expect(throws: IPCError.self) {
            try await pair.application.policy(of: "demo.Other")
        }
        #expect(error?.code == .storeUnavailable)
    }
}
