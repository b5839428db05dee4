import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker

// The time limit ends a test in which a call never gets its turn.
@DBusActor
@Suite(.timeLimit(.minutes(1)))
struct ArrivalOrderTests {
    private static func order(_ most: UInt64) -> ArrivalOrder {
        var limits = Limits()
        limits.callsInTurn = most
        return ArrivalOrder(limits: limits)
    }

    /// A call whose turn lasts until the test ends it.
    @DBusActor
    private struct LongTurn {
        private let gate = Collected<Void>()
        private let begun = Collected<Void>()

        init(of caller: BusName, in order: ArrivalOrder) async throws {
            let (gate, begun) = (gate, begun)
            DBusActor.begin {
                try? await order.inTurn(of: caller) {
                    begun.add(())
                    _ = try await gate.wait(for: 1)
                }
            }
            _ = try await begun.wait(for: 1)
        }

        func end() { gate.add(()) }
    }

    @Test func `a caller's calls start in order and do not delay other callers`() async throws {
        let order = Self.order(100)
        let caller: BusName = ":1.1"
        let begun = Collected<Int>()
        let first = try await LongTurn(of: caller, in: order)
        for number in 0..<20 {
            DBusActor.begin {
                try? await order.inTurn(of: caller) {}
                begun.add(number)
            }
        }
        try await order.inTurn(of: ":1.2") {}
        #expect(begun.elements.isEmpty)
        first.end()
        #expect(try await begun.wait(for: 20) == Array(0..<20))
        #expect(order.waiting.isEmpty)
    }

    @Test func `a call that needs no wait does not suspend`() async throws {
        let order = Self.order(100)
        var performed: [Int] = []
        for number in 0..<3 {
            DBusActor.begin {
                try? await order.inTurn(of: ":1.1") {}
                performed.append(number)
                await Task.yield()
            }
        }
        #expect(performed == [0, 1, 2])
    }

    @Test func `a call that cannot be prepared lets the next one begin`() async throws {
        let order = Self.order(100)
        let first = try await LongTurn(of: ":1.1", in: order)
        let ended = Collected<String>()
        for name in ["faulty", "good"] {
            DBusActor.begin {
                do {
                    try await order.inTurn(of: ":1.1") {
                        if name == "faulty" { throw CancellationError() }
                    }
                    ended.add(name)
                } catch { ended.add("\(name) refused") }
            }
        }
        first.end()
        #expect(try await ended.wait(for: 2) == ["faulty refused", "good"])
        #expect(order.waiting.isEmpty)
    }

    @Test func `I16: one caller may use a quarter of the waiting calls, and the others the rest`() async throws {
        let order = Self.order(8)
        let (one, other) = (":1.1" as BusName, ":1.2" as BusName)
        let turns = [try await LongTurn(of: one, in: order), try await LongTurn(of: other, in: order)]
        let ended = Collected<String>()
        func ask(_ caller: BusName, _ name: String) {
            DBusActor.begin {
                do {
                    try await order.inTurn(of: caller) {}
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
