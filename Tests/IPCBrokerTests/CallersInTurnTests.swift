import IPCDBus
import Testing

@testable import IPCBroker

struct CallersInTurnTests {
    @Test func `callers take turns, each in its own order`() throws {
        var waiting = CallersInTurn<String>()
        let (one, other) = (":1.1" as BusName, ":1.2" as BusName)
        for name in ["a", "b", "c"] { waiting.append(name, of: one) }
        waiting.append("x", of: other)
        waiting.append("-", of: nil)
        #expect(waiting.count == 5 && waiting.count(of: one) == 3 && waiting.count(of: other) == 1)
        #expect((0..<3).map { _ in waiting.takeNext() } == ["a", "x", "-"])
        waiting.append("y", of: other)
        #expect((0..<4).map { _ in waiting.takeNext() } == ["b", "y", "c", nil])
        #expect(waiting.count == 0 && waiting.count(of: one) == 0)
    }
}
