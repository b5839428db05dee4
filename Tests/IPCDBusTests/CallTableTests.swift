import Testing

@testable import IPCDBus

@DBusActor
@Suite(.timeLimit(.minutes(1)))
struct CallTableTests {
    @Test func `each call ends at its own deadline, and a call without one stays`() async throws {
        let table = CallTable()
        var lasting: Result<Message, CallError>?
        table.expect(1_000_000, from: nil) { lasting = $0 }
        let start = ContinuousClock.now
        let replies = (0..<2_000).map { index in
            table.expect(UInt32(index + 1), from: nil, until: .now + .microseconds(10 * (2_000 - index)))
        }
        for (index, reply) in replies.enumerated() {
            guard case .failure(.timedOut) = await reply.value() else {
                Issue.record("the call \(index) did not time out")
                continue
            }
            #expect(ContinuousClock.now - start >= .microseconds(10 * (2_000 - index)))
        }
        #expect(lasting == nil && table.responder(of: 1) == nil)
        table.failAll(.disconnected)
        guard case .failure(.disconnected) = lasting else {
            Issue.record("the call without a deadline did not end with the connection")
            return
        }
    }

    @Test func `a call that the timer has checked still ends with its answer or its connection`() async throws {
        let table = CallTable()
        let (short, long, other) = (
            table.expect(1, from: BusName(":1.1"), until: .now + .milliseconds(1)),
            table.expect(2, from: BusName(":1.2"), until: .now + .seconds(60)),
            table.expect(3, from: BusName(":1.3"), until: .now + .seconds(60))
        )
        guard case .failure(.timedOut) = await short.value() else {
            Issue.record("the first call did not time out")
            return
        }
        #expect(table.responder(of: 2) == BusName(":1.2"))
        table.complete(2, with: .failure(.cancelled))
        #expect(table.responder(of: 2) == nil)
        guard case .failure(.cancelled) = await long.value() else {
            Issue.record("the second call did not end by its answer")
            return
        }
        table.failAll(.disconnected)
        guard case .failure(.disconnected) = await other.value() else {
            Issue.record("the third call did not end with the connection")
            return
        }
    }
}
