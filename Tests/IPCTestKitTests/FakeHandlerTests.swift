import IPC
import IPCTestKit
import IPCTesting
import Testing

@Suite(.privateBroker, .timeLimit(.minutes(1)))
struct FakeHandlerTests {
    @Test func `requests are recorded in order, and answered`() async throws {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "notes", "memo") { request in
            guard request.path != "bad" else { throw OpenURLRequest.Answer.declined(code: "bad") }
            return [.string(try request.payload.string ?? "nothing")]
        }
        let caller = try await broker.application("test.Caller")
        let first = try await caller.open("notes:one", sending: [.string("text")])
        #expect(first.outcome == .handled && first.reply == [.string("text")])
        #expect(first.application == handler.id.text)
        let second = try await caller.open("memo:bad")
        #expect(second.outcome == .declined && second.errorCode == "bad")
        #expect(handler.requests.map(\.url) == ["notes:one", "memo:bad"])
        #expect(try await handler.nextRequest().url == "notes:one")
        #expect(try await handler.nextRequest().source.application == "test.Caller")
    }

    @Test func `a test can wait for a request`() async throws {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "notes")
        let caller = try await broker.application("test.Caller")
        async let request = handler.nextRequest()
        try await caller.queue("notes:later")
        #expect(try await request.url == "notes:later")
    }

    @Test func `an error says which requests arrived`() async throws {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "notes", id: "test.Notes")
        _ = try await broker.application("test.Caller").open("notes:one")
        _ = try await handler.nextRequest()
        let error = try await #require(throws: RequestMissing.self) {
            try await handler.nextRequest(within: .milliseconds(1))
        }
        #expect(error.description.contains("test.Notes") && error.description.contains("notes:one"), "\(error)")
    }

    @Test func `handlers of one broker have different ids`() async throws {
        let broker = try PrivateBroker.current
        let handlers = [try await broker.handler(for: "notes"), try await broker.handler(for: "memo")]
        #expect(Set(handlers.map(\.id)).count == 2)
    }

    @Test func `a handler receives requests after a restart of the broker`() async throws {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "notes")
        let caller = try await broker.application("test.Caller")
        try await broker.restart()
        #expect(try await caller.canOpenURL("notes:", within: .seconds(10)))
        _ = try await caller.open("notes:again")
        await handler.expectRequest("notes:again")
    }
}
