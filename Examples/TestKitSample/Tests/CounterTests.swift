import Counter
import IPC
import IPCTestKit
import Testing

/// Tests of a program, each with its own bus and broker.
@Suite(.timeLimit(.minutes(1)))
struct CounterTests {
    // The whole program, as a handler. It connects to the session bus, which is the private one here.
    @Test(.privateBroker) func `a call adds to the count`() async throws {
        let program = Task { try await Counter.run() }
        defer { program.cancel() }
        let caller = try await PrivateBroker.current.application("com.example.Caller")
        #expect(try await caller.canOpenURL("counter:add", within: .seconds(10)))
        #expect(try await caller.call("counter:add?by=2").string == "2")
        #expect(try await caller.call("counter:add?by=3").string == "5")
    }

    @Test(.privateBroker) func `a URL without a number is declined`() async throws {
        let program = Task { try await Counter.run() }
        defer { program.cancel() }
        let caller = try await PrivateBroker.current.application("com.example.Caller")
        #expect(try await caller.canOpenURL("counter:add", within: .seconds(10)))
        let response = try await caller.open("counter:add?by=two")
        #expect(response.outcome == .declined && response.errorCode == "no-number")
    }

    // The program as a caller. A fake handler takes the place of the other program.
    @Test func `a multiple of ten is announced`() async throws {
        try await withPrivateBroker { broker in
            let announcer = try await broker.handler(for: "announce")
            let counter = Counter(try await broker.application("com.example.Counter"))
            #expect(try await counter.add(9) == 9)
            await announcer.expectNoRequest()
            #expect(try await counter.add(1) == 10)
            await announcer.expectRequest("announce:count", sending: [.string("10")])
        }
    }

    @Test func `a failed announcement is reported`() async throws {
        try await withPrivateBroker { broker in
            let announcer = try await broker.handler(for: "announce") { request in
                throw OpenURLRequest.Answer.failed(code: "no-paper", message: "the printer has no paper")
            }
            let counter = Counter(try await broker.application("com.example.Counter"))
            let failure = try await #require(throws: CallFailure.self) { try await counter.add(10) }
            #expect(failure.code == "no-paper")
            let request = try await announcer.nextRequest()
            #expect(request.source.application == "com.example.Counter")
        }
    }
}
