import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Handlers that answer by returning or throwing, and what happens to requests on shutdown and disconnects.
@DBusActor
struct HandlingTests {
    private let pair: Pair
    private var application: Application { pair.application }

    init() async throws {
        pair = try await Pair()
        try await pair.application.register(["IPCServer.demo"], window: 4)
    }

    private func delivering(
        _ id: String, _ url: String = "x:", _ context: OpenURLContext = OpenURLContext()
    ) -> Task<(String, HandlerReply), any Error> {
        let pair = pair
        return Task.immediate { @DBusActor in try await pair.deliver(id, url, context) }
    }

    private func next() async throws -> OpenURLRequest {
        var requests = application.openURLs.makeAsyncIterator()
        return try #require(try await requests.next())
    }

    private func answer(_ body: @escaping OpenURLHandler) async throws -> (String, HandlerReply) {
        let answer = delivering("id-of-the-request")
        await (try await next()).handle(body)
        return try await answer.value
    }

    private struct Trouble: Error {}

    private struct Busy: HandlerError, CustomStringConvertible {
        let code = "busy"
        let description = "somebody else is asked just now"
    }

    @Test func theResultOrErrorOfTheBodyIsTheAnswer() async throws {
        let handled = try await answer { request in [.string(request.url)] }
        #expect(handled.0 == "handled" && handled.1.items == [.string("x:")])
        let cases: [(any Error, String, String?)] = [
            (OpenURLRequest.Answer.declined, "declined", nil),
            (OpenURLRequest.Answer.declined(code: "not-mine", message: "ask another"), "declined", "not-mine"),
            (OpenURLRequest.Answer.cancelled, "cancelled", nil),
            (OpenURLRequest.Answer.failed(code: "busy"), "failed", "busy"),
            (IPCError(.noSuchItem, "gone"), "failed", "NoSuchItem"), (Trouble(), "failed", "Trouble"),
            (CancellationError(), "cancelled", nil),
            (CallFailure(.failed(code: "inner", message: "it broke")), "failed", "inner"), (Busy(), "failed", "busy"),
        ]
        for (number, (error, outcome, code)) in cases.enumerated() {
            // Use a new id each time, because the answer to an id is remembered.
            let delivery = delivering("id-of-request-0\(number)")
            await (try await next()).handle { _ in throw error }
            let (given, reply) = try await delivery.value
            #expect(given == outcome && reply.errorCode == code, "\(error)")
        }
    }

    /// A sender declares a picture as text, and the handler does not catch the error: only this request fails.
    @Test func aPayloadThatIsNotTextFailsOnlyItsRequest() async throws {
        var context = OpenURLContext()
        context.items = [try PasteboardItem([Representation(type: .utf8PlainText, value: .bytes([0xFF, 0xD8]))])]
        let loop = Task { [application] in
            try await application.onOpenURL { request in [.string(try request.payload.string ?? "")] }
        }
        let (outcome, reply) = try await delivering("id-of-the-request", "x:", context).value
        #expect(outcome == "failed" && reply.errorCode == "PayloadInvalid")
        context.items = [.string("text")]
        let next = try await delivering("id-of-request-02", "x:", context).value
        #expect(next.0 == "handled" && next.1.items == [.string("text")])
        await application.close()
        try await loop.value
    }

    @Test func anErrorOfTheHandlerKeepsItsCodeAndSentence() async throws {
        let (outcome, reply) = try await answer { _ in throw Busy() }
        #expect(outcome == "failed" && reply.errorCode == "busy")
        #expect(reply.errorMessage == "somebody else is asked just now")
        // A program with its own loop over the requests makes the same answer from the error.
        #expect(OpenURLRequest.Answer(Busy()) == .failed(code: "busy", message: reply.errorMessage))
        #expect(OpenURLRequest.Answer(CancellationError()) == .cancelled)
    }

    @Test func theBodyMayAnswerExplicitly() async throws {
        let given = try await answer { request in
            try await request.finish(.declined)
            throw Trouble()
        }
        #expect(given.0 == "declined")
    }

    @Test func aReplyThatCannotBeSentIsAFailure() async throws {
        let given = try await answer { _ in [.data([UInt8](repeating: 0, count: 16 << 20 + 1))] }
        #expect(given.0 == "failed" && given.1.errorCode == "reply-too-large")
    }

    @Test func requestsFromTheBodyHaveItsRequestAsParent() async throws {
        let application = application
        _ = try await answer { _ in
            _ = try await application.open("y:")
            _ = try await Task { try await application.call("y:") }.value
            var options = OpenOptions()
            options.parent = "0123456789abcdef"
            _ = try await application.open("y:", options: options)
            return []
        }
        _ = try await application.open("y:")
        #expect(
            pair.broker.opened.map(\.options.parent) == [
                "id-of-the-request", "id-of-the-request", "0123456789abcdef", nil,
            ])
    }

    @Test func cancellingARequestCancelsItsBody() async throws {
        let delivery = delivering("id-of-the-request")
        let request = try await next()
        let (began, gate) = (Collected<Void>(), Gate())
        let work = Task {
            await request.handle { _ in
                began.add(())
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    Task { @DBusActor in gate.end() }
                }
                // Throw the error that a cancelled operation throws.
                throw IPCError(.storeUnavailable, "the call was cancelled")
            }
        }
        _ = try await began.wait(for: 1)
        try await pair.cancel("id-of-the-request")
        let (outcome, reply) = try await delivery.value
        #expect(outcome == "cancelled" && reply.errorCode == "called-off")
        await work.value
    }

    @Test func aCancellationByTheHandlerHasNoErrorCode() async throws {
        let (outcome, reply) = try await answer { _ in throw OpenURLRequest.Answer.cancelled }
        #expect(outcome == "cancelled" && reply.errorCode == nil)
    }

    private func context(milliseconds: UInt32) -> OpenURLContext {
        var context = OpenURLContext()
        context.timeout = milliseconds
        return context
    }

    @Test func anExpiredDeadlineCancelsTheBodyWithoutTheBroker() async throws {
        application.receiver.requests.patience = .zero
        let delivery = delivering("id-of-the-request", "x:", context(milliseconds: 1))
        await (try await next()).handle { _ in
            try await Task.sleep(for: .seconds(1_000))
            return []
        }
        #expect(try await delivery.value.0 == "cancelled")
        // Negative control: two requests are not cancelled. The first has no deadline; for the second, the time in
        // which the broker may come back has not passed.
        for (id, context) in [("id-of-request-01", OpenURLContext()), ("id-of-request-02", context(milliseconds: 1))] {
            if id == "id-of-request-02" { application.receiver.requests.patience = .seconds(1_000) }
            let delivery = delivering(id, "x:", context)
            let request = try await next()
            #expect(!request.isCancelled)
            try await request.finish(.handled)
            #expect(try await delivery.value.0 == "handled")
        }
    }

    @Test func aRedeliveryRenewsTheDeadline() async throws {
        application.receiver.requests.patience = .zero
        let deliveries = [delivering("id-of-the-request", "x:", context(milliseconds: 1))]
        let request = try await next()
        let first = try #require(request.deadline)
        let renewed = deliveries + [delivering("id-of-the-request", "x:", context(milliseconds: 3_600_000))]
        // The answer shows that everything that the broker sent before it has been read.
        _ = try await application.brokerDescription()
        #expect(try #require(request.deadline) > first.advanced(by: .seconds(60)) && !request.isCancelled)
        // Another redelivery with an earlier deadline wakes a task that waits until the request is cancelled.
        let called = Collected<Bool>()
        let waiting = Task { called.add(await request.waitUntilCancelled()) }
        let all = renewed + [delivering("id-of-the-request", "x:", context(milliseconds: 1))]
        #expect(try await called.wait(for: 1) == [true] && request.isCancelled)
        try await request.finish(.cancelled)
        for delivery in all {
            let (outcome, reply) = try await delivery.value
            #expect(outcome == "cancelled" && reply.errorCode == "called-off")
        }
        await waiting.value
    }

    @Test func closingWhileReceivingStopsThrowsNoError() async throws {
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.requests.beforeListing = {
            asked.add(())
            await gate.wait()
        }
        let application = application
        let stopping = Task { try await application.stopReceiving() }
        _ = try await asked.wait(for: 1)
        await application.close()
        try await stopping.value
        // Once the application is closed, stopping does nothing; before that, a missing broker would be an error.
        try await application.stopReceiving()
        gate.end()
    }

    @Test func aRequestCancelledBeforeItIsTakenIsNotStarted() async throws {
        let deliveries = [delivering("id-of-request-01", "x:1"), delivering("id-of-request-02", "x:2")]
        _ = try await application.brokerDescription()
        try await pair.cancel("id-of-request-01")
        #expect(try await deliveries[0].value.0 == "cancelled")
        let request = try await next()
        #expect(request.url == "x:2" && !request.isCancelled)
        try await request.finish(.handled)
        #expect(try await deliveries[1].value.0 == "handled")
    }

    @Test func requestsAreServedConcurrently() async throws {
        let (began, gate) = (Collected<String>(), Gate())
        let application = application
        let serving = Task {
            try await application.onOpenURL { request in
                began.add(request.url)
                await gate.wait()
                return [.string(request.url)]
            }
        }
        let deliveries = (1...4).map { delivering("id-of-request-0\($0)", "x:\($0)") }
        #expect(Set(try await began.wait(for: 4)) == ["x:1", "x:2", "x:3", "x:4"])
        gate.end()
        for (number, delivery) in deliveries.enumerated() {
            #expect(try await delivery.value.1.items == [.string("x:\(number + 1)")])
        }
        try await application.stopReceiving()
        try await serving.value
    }

    @Test func servingEndsWithItsTask() async throws {
        let (began, application) = (Collected<Void>(), application)
        let serving = Task {
            try await application.onOpenURL { _ in
                began.add(())
                try await Task.sleep(for: .seconds(1_000))
                return []
            }
        }
        let delivery = delivering("id-of-the-request")
        _ = try await began.wait(for: 1)
        serving.cancel()
        try await serving.value
        #expect(try await delivery.value.0 == "cancelled")
    }

    @Test func aLostAnswerIsSentAgain() async throws {
        let first = delivering("id-of-the-request", "x:1")
        try await next().finish(.handled, replying: [.string("once")])
        #expect(try await first.value.0 == "handled")
        var context = OpenURLContext()
        context.attempt = 2
        let (outcome, reply) = try await delivering("id-of-the-request", "x:1", context).value
        #expect(outcome == "handled" && reply.items == [.string("once")])
        // Negative control: a repeated request reaches the program if its URL differs, or if the reply was too large to
        // keep.
        let other = delivering("id-of-the-request", "x:2")
        try await next().finish(.declined)
        #expect(try await other.value.0 == "declined")
        let large = [UInt8](repeating: 1, count: AnswerMemory.mostReplyBytes + 1)
        for _ in 0..<2 {
            let delivery = delivering("a-large-request-", "x:")
            try await next().finish(.handled, replying: [.data(large)])
            #expect(try await delivery.value.0 == "handled")
        }
    }

    @Test func theNumberOfKeptAnswersIsLimited() {
        var memory = AnswerMemory()
        for number in 0..<3 * AnswerMemory.most { memory.keep(("handled", HandlerReply()), to: "\(number)", "x:") }
        #expect(memory.answer(to: "\(2 * AnswerMemory.most - 1)", "x:") == nil)
        #expect(memory.answer(to: "\(2 * AnswerMemory.most)", "x:")?.0 == "handled")
        #expect(memory.answer(to: "\(2 * AnswerMemory.most)", "y:") == nil)
        var reply = HandlerReply()
        reply.items = [.data([UInt8](repeating: 0, count: AnswerMemory.mostReplyBytes))]
        let most = AnswerMemory.mostBytes / AnswerMemory.mostReplyBytes
        for number in 0...most { memory.keep(("handled", reply), to: "large-\(number)", "x:") }
        #expect(memory.answer(to: "large-0", "x:") == nil && memory.answer(to: "large-1", "x:") != nil)
    }

    @Test func stoppingHandsBackWaitingRequestsAndKeepsThoseInFlight() async throws {
        let taken = delivering("id-of-request-00", "x:0")
        let inHand = try await next()
        let waiting = delivering("id-of-request-01", "x:1")
        _ = try await application.brokerDescription()
        try await application.register(["stored"])
        var stored = ClaimFacts()
        (stored.application, stored.kind) = ("demo.IPCServer", "persistent")
        pair.broker.requests.claims = [HandlerRow("stored", stored)]
        let ended = Task { try await nothing() }
        try await application.stopReceiving()
        #expect(pair.broker.requests.unregistered.map(\.schemes) == [["IPCServer.demo"]])
        for delivery in [waiting, delivering("id-of-request-02", "x:2")] {
            let error = await #expect(throws: CallError.self) { try await delivery.value }
            #expect(error?.isRemote(IPCError.Code.handlerUnavailable.errorName) == true)
        }
        #expect(try await ended.value)
        try await inHand.finish(.handled)
        #expect(try await taken.value.0 == "handled")
        // The application still works, and can register again. It then gets the request that it had handed back.
        #expect(try await application.canOpenURL("known:"))
        try await application.register(["IPCServer.demo"])
        let again = delivering("id-of-request-01", "x:1")
        try await next().finish(.handled)
        #expect(try await again.value.0 == "handled")
    }

    private func nothing() async throws -> Bool {
        for try await _ in application.openURLs { return false }
        return true
    }

    @Test func aPayloadMayArriveInFiles() async throws {
        #expect(pair.broker.registered.allSatisfy { $0.options.fd == true })
        let bytes = [UInt8](repeating: 7, count: 100_000)
        var context = OpenURLContext()
        context.items = try await OutgoingItems.prepare([.data(bytes), .string("small")])
        let delivery = delivering("id-of-the-request", "x:", context)
        let request = try await next()
        #expect(request.payload.items[0].representations[0].value.isFile)
        #expect(request.payload.data(forType: .octetStream) == bytes)
        #expect(try request.payload.string == "small")
        try await request.finish(.handled)
        _ = try await delivery.value
    }

    @Test func aMutablePayloadIsRejected() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/payload"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var context = OpenURLContext()
        context.items = [
            try PasteboardItem([
                Representation(type: .octetStream, value: .file(ContentFile(owning: descriptor)))
            ])
        ]
        let full = context
        let error = await #expect(throws: CallError.self) {
            try await delivering("id-of-the-request", "x:", full).value
        }
        #expect(error?.isRemote(IPCError.Code.payloadInvalid.errorName) == true)
    }
}
