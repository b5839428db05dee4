import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker

@DBusActor
struct ArrivalOrderTests {
    private static func order(_ most: UInt64) -> ArrivalOrder {
        var limits = Limits()
        limits.callsInTurn = most
        return ArrivalOrder(limits: limits)
    }

    @Test func `calls of a caller begin in their order, and hold up nobody else's`() async throws {
        let order = Self.order(100)
        let caller: BusName = ":1.1"
        let begun = Collected<Int>()
        let first = try await order.turn(of: caller)
        for number in 0..<20 {
            DBusActor.task {
                let turn = try await order.turn(of: caller)
                begun.add(number)
                turn.end()
            }
        }
        try await order.turn(of: ":1.2").end()
        #expect(begun.elements.isEmpty)
        first.end()
        #expect(try await begun.wait(for: 20) == Array(0..<20))
        #expect(!order.isOccupied(caller))
    }

    @Test func `I16: a caller has a fourth of what may wait, and the others the rest`() async throws {
        let order = Self.order(8)
        let (one, other) = (":1.1" as BusName, ":1.2" as BusName)
        let turns = [try await order.turn(of: one), try await order.turn(of: other)]
        let ended = Collected<String>()
        func ask(_ caller: BusName, _ name: String) {
            DBusActor.task {
                do {
                    try await order.turn(of: caller).end()
                    ended.add(name)
                } catch { ended.add("\(name): \(error)") }
            }
        }
        for number in 0..<3 { ask(one, "\(number)") }
        let refused = try await ended.wait(for: 1)
        #expect(refused.count == 1 && refused[0].contains("calls-in-turn"), "\(refused)")
        ask(other, "other")
        for turn in turns { turn.end() }
        #expect(Set(try await ended.wait(for: 4).dropFirst()) == ["0", "1", "other"])
    }
}
