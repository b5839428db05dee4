import IPCModel
import IPCStore
import Testing

/// The broker's operations on a queued request, from acceptance to outcome.
@Suite(.serialized) struct DeliveryTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private let items = [PasteboardItem.string("with it"), .data([0, 255], type: .png)]

    @Test func acceptDeliverAndEndEachTakeOneCommit() async throws {
        let store = try place.open()
        let request = place.request()
        var before = store.statistics.snapshot
        func expectOne() {
            let after = store.statistics.snapshot
            #expect(after.operations == before.operations + 1 && after.commits == before.commits + 1)
            before = after
        }
        try await store.accept(request, .items(items), trace: [place.step(.queued)])
        expectOne()
        let step = place.step(.delivered, attempt: 1)
        let attempt = try await store.commit { try $0.requests.beginAttempt(request.id, trace: [step]) }
        expectOne()
        #expect(attempt.items == items && attempt.record.attempts == 1)
        #expect(attempt.record.payload == .init(items: 2, bytes: 9))
        #expect(attempt.record.trace.map(\.kind) == [.queued, .delivered])
        try await store.end(request.id, .handled)
        expectOne()
        try await store.close()
    }

    @Test func everyFieldComesBack_I1() async throws {
        let store = try place.open()
        var request = RequestRecord(
            id: .random(), arguments: ContentDigest(of: [7]), state: .queued,
            source: Source(application: "demo.IPCClient", strength: .owned), caller: ":1.9@bus",
            application: "demo.IPCServer", url: "IPCServer.demo:?\u{e9}", pasteboard: .named("a"), changeCount: 17,
            timeout: 1_234, parent: .random(), depth: 3, accepted: place.clock.now, expiresAt: place.clock.now + 9,
            context: [1, 2])
        let accepted = request
        try await store.accept(accepted, .none)
        _ = try await store.commit { try $0.requests.noteSteps(accepted.id, [], isCrash: true) }
        let failure = RequestEnd.Failure(name: "a.b.C", code: "7", message: "seven")
        let end = RequestEnd(.timedOut, attempts: 2, failure: failure, reply: items)
        try await store.commit { transaction in
            _ = try transaction.requests.finish(accepted.id, end)
            try transaction.requests.noteLateOutcome(accepted.id, .handled)
        }
        let image = try Store.open(place.crashImage())
        let found = try #require(try await image.commit { try $0.requests.record(accepted.id) })
        (request.state, request.outcome, request.lateOutcome, request.ended) = (
            .ended, .timedOut, .handled, place.clock.now
        )
        (request.attempts, request.crashes, request.failure, request.reply) = (2, 1, failure, items)
        #expect(found == request)
        try await image.close()
        try await store.close()
    }

    @Test func attemptIsOnTheDiskWithItsNumber_I7() async throws {
        let store = try place.open()
        let request = place.request()
        try await store.accept(request, .items(items))
        for number in 1...3 as ClosedRange<UInt32> {
            let attempt = try await store.commit { try $0.requests.beginAttempt(request.id) }
            #expect(attempt.record.attempts == number && attempt.items == items)
            let image = try Store.open(place.crashImage("image-\(number)"))
            #expect(try await image.commit { try $0.requests.record(request.id)?.attempts } == number)
            try await image.close()
        }
        // An outcome that states fewer attempts does not lower the recorded number of attempts.
        #expect(try await store.end(request.id, .failed).attempts == 3)
        await #expect(throws: RequestError.hasEnded(request.id)) { try await store.attempt(request.id) }
        try await store.close()
    }

    @Test func onlyACrashWithASingleRequestCounts() async throws {
        let store = try place.open()
        let request = place.request()
        try await store.accept(request, .none)
        for (alone, crashes) in [(false, 0), (true, 1), (false, 1), (true, 2)] as [(Bool, UInt32)] {
            let left = try await store.commit { try $0.requests.noteSteps(request.id, [], isCrash: alone) }
            #expect(left.crashes == crashes)
        }
        try await store.end(request.id, .failed)
        #expect(try await store.commit { try $0.requests.noteSteps(request.id, [], isCrash: true) }.crashes == 2)
        try await store.close()
    }

    @Test func firstLateAnswerCounts_I6() async throws {
        let store = try place.open()
        let (late, failed) = (place.request(), place.request())
        for request in [late, failed] { try await store.accept(request, .none) }
        try await store.commit { try $0.requests.noteLateOutcome(late.id, .handled) }
        #expect(try await store.commit { try $0.requests.record(late.id)?.lateOutcome } == nil)
        try await store.end(late.id, .timedOut)
        try await store.end(failed.id, .failed)
        try await store.commit { transaction in
            try transaction.requests.noteLateOutcome(late.id, .declined)
            try transaction.requests.noteLateOutcome(late.id, .handled)
            try transaction.requests.noteLateOutcome(failed.id, .handled)
        }
        let found = try await store.commit { try $0.requests.record(late.id) }
        #expect(found?.lateOutcome == .declined && found?.outcome == .timedOut)
        #expect(try await store.commit { try $0.requests.record(failed.id)?.lateOutcome } == nil)
        try await store.close()
    }

    @Test func everyStepComesBack_I1() async throws {
        let store = try place.open()
        let request = place.request()
        let steps = TraceStep.Kind.allCases.map { place.step($0, attempt: 2, "why") }
        try await store.accept(request, .none, trace: steps)
        let image = try Store.open(place.crashImage())
        #expect(try await image.commit { try $0.requests.record(request.id)?.trace } == steps)
        try await image.close()
        try await store.close()
    }

    @Test func traceKeepsItsFirstAndLastSteps() async throws {
        let store = try place.open { $0.limits.traceSteps = 8 }
        let request = place.request()
        let kinds = [TraceStep.Kind.queued, .starting, .startFailed, .starting]
        try await store.accept(request, .none, trace: kinds.map { place.step($0) })
        for number in 1...20 as ClosedRange<UInt32> {
            let step = place.step(.delivered, attempt: number)
            _ = try await store.commit { try $0.requests.beginAttempt(request.id, trace: [step]) }
        }
        let long = place.step(.cancelAsked, String(repeating: "é", count: 3_000))
        _ = try await store.commit { try $0.requests.noteSteps(request.id, [long], isCrash: false) }
        let trace = try #require(try await store.commit { try $0.requests.record(request.id)?.trace })
        #expect(trace.map(\.kind) == kinds + [.delivered, .delivered, .delivered, .cancelAsked])
        #expect(trace.map(\.attempt) == [0, 0, 0, 0, 18, 19, 20, 0])
        #expect(trace[7].detail == String(repeating: "é", count: 512))
        try await store.close()
    }

    @Test func payloadOfAHandledRequestIsRemovedAndOthersStay() async throws {
        let store = try place.open()
        for outcome in Outcome.allCases where outcome.isEnd {
            let request = place.request()
            try await store.accept(request, .items(items))
            let ended = try await store.end(request.id, outcome)
            let isTaken = outcome == .handled || outcome == .delivered
            #expect((ended.payload == nil) == isTaken)
            #expect(try await store.commit { $0.usage() }.total.items == (isTaken ? 0 : 2), "\(outcome)")
            try await store.commit { try $0.requests.drop(request.id) }
            #expect(try await store.commit { $0.usage() }.total.items == 0)
        }
        try await store.close()
    }

    @Test func payloadOfAWaitingRequestIsStoredAtItsEnd() async throws {
        let store = try place.open()
        let requests = (0..<4).map { _ in place.request() }
        for request in requests { _ = try await store.stage { try $0.requests.begin(request) } }
        let secret = try PasteboardItem([
            Representation(type: .utf8PlainText, value: .text("secret")),
            Representation(type: try ContentType("x-kde-passwordManagerHint"), value: .text("secret")),
        ])
        let payloads: [RequestPayload] = [
            .items(items), .items([secret]), .withheld, .version(of: .named("gone"), changeCount: 7),
        ]
        for (request, payload) in zip(requests, payloads) { try await store.end(request.id, .failed, payload: payload) }
        let again = (0..<4).map { _ in place.request() }
        #expect(try await store.commit { try $0.requests.retry(requests[0].id, again[0]) } == nil)
        #expect(try await store.attempt(again[0].id) == items)
        // A payload that was not kept cannot be sent again. A retry without it would be a different request.
        for number in 1...3 {
            await #expect(throws: RequestError.payloadGone(requests[number].id)) {
                try await store.commit { try $0.requests.retry(requests[number].id, again[number]) }
            }
        }
        let image = try place.crashImage()
        for file in ["/store.sqlite", "/store.sqlite-wal"] {
            let bytes = try place.bytes(image.directory + file)
            #expect(!bytes.contains("secret".utf8) && (file == "/store.sqlite" || bytes.contains("with it".utf8)))
        }
        try await store.close()
    }
}

extension [UInt8] {
    /// Whether these bytes contain the text.
    fileprivate func contains(_ text: String.UTF8View) -> Bool {
        let pattern = Array(text)
        return indices.dropLast(pattern.count - 1).contains { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}
