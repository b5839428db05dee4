import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPC

/// Tests of a program that receives requests; a peer that plays the broker sends them.
@DBusActor
struct ReceivingTests {
    private let pair: Pair
    private var application: Application { pair.application }

    init() async throws {
        pair = try await Pair()
        let options = RegisterOptions(window: 4, allowReserved: false, fd: nil)
        _ = try await pair.application.receiver.receive(["IPCServer.demo"], options)
    }

    private func delivering(_ id: String, _ url: String = "x:") -> Task<(String, HandlerReply), any Error> {
        let pair = pair
        return Task.immediate { @DBusActor in try await pair.deliver(id, url) }
    }

    @Test func registrationSendsItsArguments() async throws {
        let (id, schemes, options) = try #require(pair.broker.registered.first)
        #expect(id == "demo.IPCServer" && schemes == ["IPCServer.demo"] && options.window == 4)
        #expect(options.allowReserved == nil && options.persistent == nil)
    }

    @Test func aRequestHasItsWholeContext() async throws {
        var context = OpenURLContext()
        (context.sourceApplication, context.sourceStrength) = ("demo.IPCClient", "claimed")
        (context.pasteboard, context.changeCount) = ("demo.IPCClient", UInt64.max)
        (context.items, context.annotation) = ([.string("hello")], .double(1.5))
        (context.attempt, context.timeout) = (2, 60_000)
        let (pair, full) = (pair, context)
        let answer = Task.immediate { @DBusActor in
            try await pair.deliver("id-of-the-request", "IPCSERVER.demo: a b%", full)
        }
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.id == "id-of-the-request" && request.url == "IPCSERVER.demo: a b%" && request.attempt == 2)
        #expect(request.source == Source(application: "demo.IPCClient", strength: .claimed))
        #expect(try request.payload.string == "hello")
        #expect(request.payload.pasteboard == "demo.IPCClient" && request.payload.changeCount == .max)
        #expect(request.annotation == .double(1.5))
        let left = try #require(request.timeLeft)
        #expect(left <= .seconds(60) && left > .seconds(30))
        try await request.finish(.handled, replying: [.string("thanks")])
        let (outcome, reply) = try await answer.value
        #expect(outcome == "handled" && reply.items == [.string("thanks")])
    }

    @Test func aRequestHasThePartsOfItsURL() async throws {
        let answer = delivering("id-of-the-request", "IPCServer.DEMO://h%20x/a%20b?c=d")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.scheme == "ipcserver.demo" && request.scheme.text == "IPCServer.DEMO")
        #expect(request.host == "h x" && request.path == "/a b" && request.parameters["c"] == "d")
        try await request.finish(.handled)
        _ = try await answer.value
    }

    @Test func aRequestWithoutContextHasNoSource() async throws {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.source == Source(application: "", strength: .unknown))
        #expect(!request.payload.isPresent && request.attempt == 1 && request.timeLeft == nil)
        try await request.finish(.failed(code: "broken", message: "it broke"))
        let (outcome, reply) = try await answer.value
        #expect(outcome == "failed" && reply.errorCode == "broken" && reply.errorMessage == "it broke")
    }

    @Test func requestsBeforeTheFirstReadWaitInOrder() async throws {
        let answers = (1...4).map { delivering("id-of-request-0\($0)", "x:\($0)") }
        // Calls arrive in order, so once this one is answered, all four requests have arrived.
        _ = try await pair.application.brokerDescription()
        var seen: [String] = []
        for try await request in application.openURLs {
            seen.append(request.url)
            try await request.finish(seen.count % 2 == 0 ? .declined : .handled)
            if seen.count == 4 { break }
        }
        #expect(seen == ["x:1", "x:2", "x:3", "x:4"])
        var outcomes: [String] = []
        for answer in answers { outcomes.append(try await answer.value.0) }
        #expect(outcomes == ["handled", "declined", "handled", "declined"])
    }

    @Test func severalConsumersShareTheRequests() async throws {
        let urls = application.openURLs
        let consumers = (1...3).map { _ in
            Task {
                for try await request in urls {
                    let url = request.url
                    try await request.finish(.handled)
                    return url
                }
                return "none"
            }
        }
        for number in 1...3 {
            #expect(try await delivering("id-of-request-0\(number)", "x:\(number)").value.0 == "handled")
        }
        var seen: Set<String> = []
        for consumer in consumers { seen.insert(try await consumer.value) }
        #expect(seen == ["x:1", "x:2", "x:3"])
    }

    @Test func aSecondAnswerIsAnError() async throws {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        try await request.finish(.declined)
        let error = await #expect(throws: IPCError.self) { try await request.finish(.handled) }
        #expect(error?.code == .invalidArguments)
        #expect(try await answer.value.0 == "declined")
    }

    @Test func aReplyThatIsTooLargeLeavesTheRequestOpen() async throws {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        let large = PasteboardItem.data([UInt8](repeating: 0, count: 16 << 20 + 1))
        let error = await #expect(throws: IPCError.self) { try await request.finish(.handled, replying: [large]) }
        #expect(error?.code == .limitExceeded)
        try await request.finish(.handled)
        #expect(try await answer.value.0 == "handled")
    }

    @Test func aReleasedRequestFails() async throws {
        let answer = delivering("id-of-the-request")
        do {
            var requests = application.openURLs.makeAsyncIterator()
            _ = try await requests.next()
        }
        let (outcome, reply) = try await answer.value
        #expect(outcome == "failed" && reply.errorCode == "not-answered")
    }

    @Test func closingHandsBackWaitingRequestsAndEndsTheSequence() async throws {
        let taken = delivering("id-of-request-00")
        var requests = application.openURLs.makeAsyncIterator()
        let inHand = try #require(try await requests.next())
        let answers = [delivering("id-of-request-01"), delivering("id-of-request-02")]
        _ = try await pair.application.brokerDescription()
        await application.close()
        for answer in answers {
            let error = await #expect(throws: CallError.self) { try await answer.value }
            #expect(error?.isRemote(IPCError.Code.handlerUnavailable.errorName) == true)
        }
        // A request that the program has already taken is not handed back: its call fails when the connection is
        // closed.
        let cut = await #expect(throws: CallError.self) { try await taken.value }
        #expect(cut?.isRemote(IPCError.Code.handlerUnavailable.errorName) == false)
        for try await _ in application.openURLs { Issue.record("a request after the end") }
        let error = await #expect(throws: IPCError.self) { try await pair.application.brokerDescription() }
        #expect(error?.code == .storeUnavailable)
        withExtendedLifetime(inHand) {}
    }

    @Test func theSenderMayCancel() async throws {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(!request.isCancelled)
        let watch = Task { await request.waitUntilCancelled() }
        try await pair.cancel("another")
        try await pair.cancel("id-of-the-request")
        #expect(await watch.value)
        #expect(request.isCancelled)
        #expect(await request.waitUntilCancelled())
        try await request.finish(.cancelled)
        #expect(try await answer.value.0 == "cancelled")
    }

    @Test func waitingForACancellationEndsWithTheAnswerOrTheTask() async throws {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        let given = Task { await request.waitUntilCancelled() }
        given.cancel()
        #expect(await given.value == false)
        let watch = Task { await request.waitUntilCancelled() }
        try await request.finish(.handled)
        #expect(await watch.value == false)
        _ = try await answer.value
    }

    @Test func aCancelledTaskEndsTheSequence() async throws {
        let urls = application.openURLs
        let task = Task {
            for try await _ in urls { Issue.record("nothing was sent") }
            return true
        }
        task.cancel()
        #expect(try await task.value)
        #expect(try await consumesOne())
    }

    /// Whether a request reaches a new consumer. It would not if a cancelled consumer had taken it.
    private func consumesOne() async throws -> Bool {
        let answer = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        try await requests.next()?.finish(.handled)
        return try await answer.value.0 == "handled"
    }

    @Test func aRepeatedCallJoinsTheWorkInProgress() async throws {
        let first = delivering("id-of-the-request")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        let second = delivering("id-of-the-request")
        _ = try await pair.application.brokerDescription()
        try await request.finish(.handled)
        #expect(try await first.value.0 == "handled")
        #expect(try await second.value.0 == "handled")
    }

    @Test func aRejectedRegistrationIsAnError() async throws {
        pair.broker.register = { throw IPCError(.reservedScheme, "http is reserved") }
        let error = await #expect(throws: IPCError.self) {
            try await application.register(["http"])
        }
        #expect(error?.code == .reservedScheme)
    }

    @Test func conflictsAreReported() async throws {
        pair.broker.register = {
            var claim = ClaimFacts()
            (claim.scheme, claim.application, claim.kind, claim.handler) = ("x", "demo.Other", "persistent", true)
            var result = RegisterResult()
            result.conflicts = [claim]
            return result
        }
        let conflicts = try await application.register(["x"], persistent: true)
        #expect(conflicts.map(\.application) == ["demo.Other"])
        #expect(conflicts[0].isHandler && conflicts[0].kind == "persistent" && conflicts[0].isRunning == nil)
        #expect(pair.broker.registered.last?.options.persistent == true)
        #expect(pair.broker.registered.last?.options.fd == true)
    }

    @Test func registrationForAnotherApplicationSaysIfItAcceptsDescriptors() async throws {
        for takes in [false, true] {
            _ = try await application.register(
                ["y"], for: "demo.Other", persistent: true, takesDescriptors: takes)
            #expect(pair.broker.registered.last?.options.fd == (takes ? true : nil))
        }
    }
}
