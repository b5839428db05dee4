import IPC
import IPCTestKit
import IPCTesting
import Testing

/// Each expectation that is not met records one issue, which `withKnownIssue` requires.
@Suite(.privateBroker, .timeLimit(.minutes(1)))
struct ExpectationTests {
    private func scene() async throws -> (FakeHandler, Application) {
        let broker = try PrivateBroker.current
        return (try await broker.handler(for: "notes", id: "test.Notes"), try await broker.application("test.Caller"))
    }

    /// Requires that `body` records one issue whose text has all these parts.
    private func expectIssue(_ parts: String..., from body: () async throws -> Void) async throws {
        let texts = Collected<String>()
        try await withKnownIssue {
            try await body()
        } matching: { issue in
            texts.add(issue.comments.map(\.rawValue).joined())
            return true
        }
        #expect(texts.elements.count == 1)
        for part in parts { #expect(texts.elements.joined().contains(part), "\(texts.elements)") }
    }

    @Test func `the expected request records no issue`() async throws {
        let (handler, caller) = try await scene()
        await handler.expectNoRequest()
        _ = try await caller.open("notes:add?a=1")
        _ = try await caller.open("notes:add", sending: [.string("buy milk")])
        _ = try await caller.open("notes:add")
        _ = try await caller.open("notes:add")
        await handler.expectRequest("notes:add?a=1")
        await handler.expectRequest("notes:add", sending: [.string("buy milk")])
        await handler.expectRequest("notes:add", sending: [])
        let request = await handler.expectRequest("notes:add")
        #expect(request?.source.application == "test.Caller")
        await handler.expectNoRequest()
    }

    @Test func `a value is compared by its bytes, however it was sent`() async throws {
        let (handler, caller) = try await scene()
        let large = [UInt8](repeating: 7, count: 200_000)
        _ = try await caller.open("notes:a", sending: [.data(large), .data(Array("x".utf8), type: .utf8PlainText)])
        await handler.expectRequest("notes:a", sending: [.data(large), .string("x")])
        _ = try await caller.open("notes:b", sending: [.data(large)])
        try await expectIssue("200000 bytes", "199999 bytes") {
            await handler.expectRequest("notes:b", sending: [.data(Array(large.dropLast()))])
        }
    }

    @Test func `another URL is an issue`() async throws {
        let (handler, caller) = try await scene()
        _ = try await caller.open("notes:add?by=2")
        try await expectIssue("test.Notes", "expected: notes:add?by=1", "actual: notes:add?by=2") {
            let request = await handler.expectRequest("notes:add?by=1")
            #expect(request?.url == "notes:add?by=2")
        }
    }

    private static let payloads: [[PasteboardItem]] = [
        [.string("buy tea")], [.string("buy milk"), .string("buy tea")], [.data([0, 1])], [],
    ]

    @Test(arguments: payloads) func `another payload is an issue`(items: [PasteboardItem]) async throws {
        let (handler, caller) = try await scene()
        _ = try await caller.open("notes:add", sending: items)
        try await expectIssue("text/plain;charset=utf-8, “buy milk”", items.isEmpty ? "no items" : "actual") {
            await handler.expectRequest("notes:add", sending: [.string("buy milk")])
        }
    }

    @Test func `a request that does not arrive is an issue`() async throws {
        let (handler, _) = try await scene()
        try await expectIssue("No request arrived at test.Notes", "expected: notes:add") {
            #expect(await handler.expectRequest("notes:add", within: .milliseconds(1)) == nil)
        }
    }

    @Test func `an unexpected request is an issue, once`() async throws {
        let (handler, caller) = try await scene()
        _ = try await caller.open("notes:a")
        _ = try await caller.open("notes:b")
        await handler.expectRequest("notes:a")
        try await expectIssue("test.Notes", "notes:b") { await handler.expectNoRequest() }
        await handler.expectNoRequest()
    }

    /// The handler still works on the first request, so the broker has not delivered the second one.
    @Test func `an accepted request that has not arrived is an issue`() async throws {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "notes") { _ in
            try await Task.sleep(for: .seconds(1_000))
            return []
        }
        let caller = try await broker.application("test.Caller")
        try await caller.queue("notes:a")
        await handler.expectRequest("notes:a")
        await handler.expectNoRequest()
        try await caller.queue("notes:b")
        try await expectIssue("notes:b") { await handler.expectNoRequest() }
    }

    @Test func `a request within the given time is an issue`() async throws {
        let (handler, caller) = try await scene()
        try await expectIssue("notes:later") {
            async let expectation: Void = handler.expectNoRequest(within: .seconds(30))
            _ = try await caller.open("notes:later")
            await expectation
        }
    }
}
