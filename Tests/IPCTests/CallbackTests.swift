import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of callbacks between programs on a bus; this process plays the broker.
@DBusActor
@Suite(.privateBus)
struct CallbackTests {
    private let address: BusAddress

    init() throws { address = .address(try PrivateBus.current.address) }

    private func server(_ body: @escaping OpenURLHandler) async throws -> (Application, Task<Void, any Error>) {
        let application = try await Application.connect(
            id: "demo.IPCServer", schemes: ["IPCServer.demo"], bus: address)
        return (application, Task { try await application.onOpenURL(body) })
    }

    private func client() async throws -> Application {
        try await Application.connect(id: "demo.IPCClient", bus: address)
    }

    private let url = "IPCServer.demo://x-callback-url/add?a=1&b=%zz#f"

    @Test func theHandlerOpensTheCallbackOnceWithTheReply() async throws {
        let router = try await FakeRouter(address)
        let (server, serving) = try await server { _ in [.string("two words")] }
        let opened = Collected<String>()
        let caller = try await Application.connect(id: "demo.Caller", schemes: ["back"], bus: address)
        let receiving = Task {
            try await caller.onOpenURL { request in
                opened.add(request.url)
                throw OpenURLRequest.Answer.declined
            }
        }
        let asked = "IPCServer.demo://x-callback-url/do?x-success=back%3Ayes&x-error=back%3Ano"
        let response = try await router.open(asked)
        // How the callback's receiver answers does not affect the outcome of the first request.
        #expect(response.outcome == "handled")
        #expect(try await opened.wait(for: 1) == ["back:yes?result=two%20words"])
        // Negative control: a URL that is not an x-callback-url has no callback, even with the same parameters.
        _ = try await router.open("IPCServer.demo://elsewhere/do?x-success=back%3Ayes")
        await server.close()
        let options = router.broker.opened
        #expect(options.map(\.url) == ["back:yes?result=two%20words"])
        let sent = try #require(options.first?.options)
        #expect(sent.queue == nil && sent.timeToLive == nil && sent.timeout == 10_000)
        #expect(sent.parent == response.id && sent.sourceApplication == nil && sent.id != nil && sent.desktop == false)
        try await serving.value
        await caller.close()
        try await receiving.value
    }

    @Test func aBrokerWithoutTheDesktopFeatureOpensCallbacksToo() async throws {
        let router = try await FakeRouter(address)
        let route = router.broker.open
        router.broker.open = { url, options in
            guard options.desktop == nil else { throw IPCError(.invalidArguments, "“desktop” is unknown here") }
            return try await route(url, options)
        }
        let (server, serving) = try await server { _ in [] }
        let (caller, opened) = (try await client(), Collected<String>())
        try await caller.register(["back"])
        let receiving = Task {
            try await caller.onOpenURL {
                opened.add($0.url)
                return []
            }
        }
        _ = try await router.open("IPCServer.demo://x-callback-url/do?x-success=back%3Ayes")
        #expect(try await opened.wait(for: 1) == ["back:yes"])
        #expect(router.broker.opened.map(\.options.desktop) == [false, nil])
        await server.close()
        await caller.close()
        try await serving.value
        try await receiving.value
    }

    @Test func anApplicationMayOpenNoneOrAllCallbacks() async throws {
        let router = try await FakeRouter(address)
        let (server, serving) = try await server { _ in [] }
        let (web, own) = ("https%3A%2F%2Fexample.org", "none%3A")
        for (schemes, allowed) in [
            (CallbackSchemes.unreserved, ["none:"]), (.none, []), (.all, ["https://example.org", "none:"]),
        ] {
            let before = router.broker.opened.count
            server.setCallbackSchemes(schemes)
            #expect(server.callbackSchemes == schemes)
            for target in [web, own] {
                _ = try await router.open("IPCServer.demo://x-callback-url/do?x-success=\(target)")
            }
            await server.callbacksAreOut()
            #expect(router.broker.opened[before...].map(\.url) == allowed)
        }
        await server.close()
        try await serving.value
    }

    @Test func theHandlerIsNotifiedOfFailedCallbacks() async throws {
        let router = try await FakeRouter(address)
        let (server, serving) = try await server { _ in [.string("secret")] }
        let told = Collected<CallbackFailure>()
        server.onCallbackFailure { told.add($0) }
        let caller = try await Application.connect(id: "demo.Caller", schemes: ["back"], bus: address)
        let receiving = Task {
            try await caller.onOpenURL { request in
                if request.url.hasPrefix("back:no") { throw OpenURLRequest.Answer.declined }
                return []
            }
        }
        let place = XCallbackURL(scheme: "gone", action: "x-success/0123456789abcdef").text
        for target in [place, "back:yes", "https:x", "none:x", "back:no", "no URL"] {
            let value = PercentEncoding.encode(target)
            _ = try await router.open("IPCServer.demo://x-callback-url/do?x-success=\(value)")
            await server.callbacksAreOut()
        }
        // No failure is reported for `back:yes`, which was handled, or for `place`, whose call is already over.
        let schemes: [URLScheme?] = ["https", "none", "back", nil]
        #expect(told.elements.map(\.scheme) == schemes)
        #expect(told.elements.map(\.wasOpened) == [false, false, true, false])
        let texts = told.elements.map(\.description)
        #expect(texts[0].hasPrefix("x-success of "))
        #expect(texts[0].hasSuffix(" was not opened: the scheme https is reserved"))
        #expect(texts[2].hasSuffix(" was not handled: demo.IPCServer declined the callback"))
        #expect(texts[3].hasSuffix("it is not a URL"))
        #expect(!texts.contains { $0.contains("secret") })
        for application in [server, caller] { await application.close() }
        try await serving.value
        try await receiving.value
    }

    @Test func closingWaitsForCallbacksInProgress() async throws {
        let pair = try await Pair()
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.open = { _, _ in
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        try await pair.application.register(["x"])
        let answer = Task.immediate { @DBusActor in
            try await pair.deliver("id-of-the-request", "x://x-callback-url/?x-success=b:")
        }
        var requests = pair.application.openURLs.makeAsyncIterator()
        try await requests.next()?.finish(.handled)
        #expect(try await answer.value.0 == "handled")
        _ = try await asked.wait(for: 1)
        let closed = Collected<Void>()
        let closing = Task.immediate { @DBusActor in
            await pair.application.close()
            closed.add(())
        }
        // If `close` did not wait for the callback, it would have returned by the time that this call is answered.
        _ = try await pair.application.brokerDescription()
        #expect(closed.elements.isEmpty)
        gate.end()
        await closing.value
        #expect(closed.elements.count == 1)
    }

    @Test func repeatedAnswersAndReturnedRequestsOpenNoCallback() async throws {
        let pair = try await Pair()
        try await pair.application.register(["x"])
        let url = "x://x-callback-url/?x-success=back:"
        let first = Task.immediate { @DBusActor in try await pair.deliver("id-of-the-request", url) }
        var requests = pair.application.openURLs.makeAsyncIterator()
        try await requests.next()?.finish(.handled)
        #expect(try await first.value.0 == "handled")
        #expect(try await pair.deliver("id-of-the-request", url).0 == "handled")
        let second = Task.immediate { @DBusActor in try await pair.deliver("id-of-request-02", url) }
        _ = try await pair.application.brokerDescription()
        await pair.application.close()
        await #expect(throws: CallError.self) { try await second.value }
        #expect(pair.broker.opened.map(\.url) == ["back:"])
    }

    @Test func aDirectAnswerOfTheHandlerIsUsed() async throws {
        let router = try await FakeRouter(address)
        let (server, serving) = try await server { request in
            let asked = try #require(XCallbackURL(request.url))
            guard asked.action == "add" else { throw OpenURLRequest.Answer.failed(code: "no", message: "not that") }
            return [.data([1, 2, 3])]
        }
        let client = try await client()
        let reply = try await client.call(url, callbackScheme: "IPCClient.demo")
        #expect(reply.items == [.data([1, 2, 3])] && reply.response?.outcome == .handled)
        let sent = try #require(router.broker.opened.first?.url)
        #expect(sent.hasPrefix("IPCServer.demo://x-callback-url/add?a=1&b=%zz&x-source=demo.IPCClient&x-success="))
        #expect(sent.hasSuffix("#f"))
        let failure = await #expect(throws: CallFailure.self) {
            try await client.call("IPCServer.demo://x-callback-url/other", callbackScheme: "IPCClient.demo")
        }
        #expect(failure?.reason == .failed(code: "no", message: "not that"))
        await server.close()
        try await serving.value
    }

    /// Starts a handler that returns its result only with the x-callback-url callback, not in its answer.
    private func oldHandler(
        _ callback: XCallbackURL.Callback, _ results: String,
        before: @escaping @Sendable (String) -> [String] = { _ in [] }
    ) async throws -> Task<Void, any Error> {
        let (server, serving) = try await server { [application = try await client()] request in
            let asked = try #require(XCallbackURL(request.url))
            let target = try #require(asked.url(of: callback))
            for other in before(target) { _ = try await application.open(other) }
            Task { try await application.open(target + results) }
            return []
        }
        server.setCallbackSchemes(.none)
        return serving
    }

    @Test func aHandlerThatOnlyUsesCallbacksIsSupported() async throws {
        let router = try await FakeRouter(address)
        let serving = try await oldHandler(.success, "?result=3&unit=m") { target in
            // Without the call's secret token in its path, a callback is ignored.
            [
                String(target.utf8.dropLast(1))! + "!?result=4", "IPCClient.demo:",
                "IPCClient.demo://x-callback-url/x-success/",
            ]
        }
        let client = try await client()
        let reply = try await client.call(url, callbackScheme: "IPCClient.demo")
        #expect(try reply.string == "3" && reply.value([String: String].self) == ["result": "3", "unit": "m"])
        #expect(reply.response == nil)
        let back = router.answers.elements.filter { $0.url.hasPrefix("IPCClient.demo") }
        #expect(back.prefix(3).map(\.outcome) == ["declined", "declined", "declined"])
        serving.cancel()
    }

    @Test func aCallbackMayReportAFailure() async throws {
        let router = try await FakeRouter(address)
        let serving = try await oldHandler(.error, "?errorCode=7&errorMessage=too%20much")
        let client = try await client()
        let failure = await #expect(throws: CallFailure.self) {
            try await client.call(url, callbackScheme: "IPCClient.demo")
        }
        #expect(failure?.reason == .failed(code: "7", message: "too much"))
        serving.cancel()
        withExtendedLifetime(router) {}
    }

    @Test func aCallbackCountsEvenIfTheHandlerDoesNotAnswer() async throws {
        let router = try await FakeRouter(address)
        let gate = Gate()
        let (server, serving) = try await server { [application = try await client()] request in
            let target = try #require(XCallbackURL(request.url)?.url(of: .success))
            _ = try await application.open(target + "?result=early")
            await gate.wait()
            return []
        }
        let client = try await client()
        #expect(try await client.call(url, callbackScheme: "IPCClient.demo").string == "early")
        // The early result does not cancel the request, which continues to its own outcome.
        #expect(router.broker.requests.cancelled.elements.isEmpty)
        gate.end()
        await server.close()
        try await serving.value
    }

    @Test func aTakenSchemeIsLeftToItsOwner() async throws {
        let router = try await FakeRouter(address)
        let owner = try await Application.connect(id: "demo.Owner", schemes: ["IPCClient.demo"], bus: address)
        let serving = try await oldHandler(.cancel, "")
        let client = try await client()
        let failure = await #expect(throws: CallFailure.self) {
            try await client.call(url, callbackScheme: "IPCClient.demo")
        }
        #expect(failure?.reason == .cancelled)
        let schemes = router.broker.registered.map(\.schemes[0])
        #expect(schemes.contains { $0.hasPrefix("IPCClient.demo-") })
        #expect(router.broker.requests.unregistered.map(\.schemes) == [["IPCClient.demo"]])
        serving.cancel()
        withExtendedLifetime(owner) {}
    }

    @Test func aMissingCallbackTimesOut() async throws {
        let router = try await FakeRouter(address)
        let (server, serving) = try await server { _ in [] }
        server.setCallbackSchemes(.none)
        let client = try await client()
        var options = OpenOptions()
        options.timeout = .milliseconds(50)
        let reply = try await client.call(url, callbackScheme: "IPCClient.demo", options: options)
        #expect(reply.items.isEmpty && reply.response?.outcome == .handled)
        await server.close()
        try await serving.value
        withExtendedLifetime(router) {}
    }

    @Test func onlyAnswerableCallsAreSent() async throws {
        let router = try await FakeRouter(address)
        let client = try await client()
        let named = await #expect(throws: CallFailure.self) {
            try await client.call("x://x-callback-url/do?x-success=a:", callbackScheme: "IPCClient.demo")
        }
        guard case .refused(let error) = named?.reason else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .invalidArguments && router.broker.opened.isEmpty)
        // A URL that is not an x-callback-url is called without a callback.
        let (server, serving) = try await server { _ in [.string("plain")] }
        let reply = try await client.call("IPCServer.demo:x", callbackScheme: "IPCClient.demo")
        #expect(try reply.string == "plain" && router.broker.opened.map(\.url) == ["IPCServer.demo:x"])
        #expect(router.broker.registered.map(\.schemes) == [["IPCServer.demo"]])
        await server.close()
        try await serving.value
    }

    @Test func anAbandonedCallIsCancelled() async throws {
        let router = try await FakeRouter(address)
        let (began, gate) = (Collected<Void>(), Gate())
        let (server, serving) = try await server { _ in
            began.add(())
            await gate.wait()
            return []
        }
        let (client, url) = (try await client(), url)
        let task = Task { try await client.call(url, callbackScheme: "IPCClient.demo") }
        _ = try await began.wait(for: 1)
        task.cancel()
        await #expect(throws: CallFailure.self) { try await task.value }
        let id = router.broker.opened.first?.options.id
        #expect(try await router.broker.requests.cancelled.wait(for: 1) == [id])
        gate.end()
        await server.close()
        try await serving.value
    }
}

extension Application {
    /// Returns when all callbacks have completed.
    fileprivate func callbacksAreOut() async { await receiver.requests.callbacks.finish() }
}
