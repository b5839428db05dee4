import Testing

@testable import IPCDBus

/// I15: a caller with many calls delays only itself.
@DBusActor
struct CallTurnsTests {
    private let busy = CallTurns.Caller.name(":1.1")
    private let other = CallTurns.Caller.name(":1.2")

    private func turns(_ mostTogether: Int = 2, mostBytes: Int = .max) -> CallTurns {
        let turns = CallTurns()
        turns.mostTogether = mostTogether
        turns.mostBytesTogether = mostBytes
        return turns
    }

    /// Begins a call, or lets it wait, as ``IncomingCalls`` does.
    private func receive(
        _ caller: CallTurns.Caller, _ turns: CallTurns, bytes: Int = 1, expectsReply: Bool = true,
        mayBegin: @escaping @DBusActor () -> Bool = { true }, _ begin: @escaping @DBusActor () -> Void
    ) {
        let turn = CallTurns.Turn(caller: caller, bytes: bytes)
        if turns.begins(turn, mayBegin: mayBegin()) { return begin() }
        turns.hold(.init(turn: turn, expectsReply: expectsReply, mayBegin: mayBegin, begin: begin))
    }

    private func end(_ caller: CallTurns.Caller, _ turns: CallTurns, bytes: Int = 1) {
        turns.ended(CallTurns.Turn(caller: caller, bytes: bytes))
    }

    @Test
    func `I15: a call begins at once, however many calls of another caller wait`() {
        let turns = turns()
        var begun: [String] = []
        for number in 0..<100 { receive(busy, turns) { begun.append("busy \(number)") } }
        receive(other, turns) { begun.append("other") }
        #expect(begun == ["busy 0", "busy 1", "other"])
        #expect(turns.waitingCount == 98)
    }

    @Test
    func `I15: waiting calls begin in order, one for each that ends, and callers take turns`() async {
        let turns = turns()
        var begun: [Int] = []
        for number in 0..<6 { receive(busy, turns) { begun.append(number) } }
        for number in 10..<14 { receive(other, turns) { begun.append(number) } }
        #expect(begun == [0, 1, 10, 11])
        for caller in [busy, busy, other] { end(caller, turns) }
        await polled()
        #expect(begun == [0, 1, 10, 11, 2, 12, 3])
    }

    @Test
    func `I15: the sockets are polled between two long calls, and short ones begin at once`() async {
        let turns = turns(10)
        let polls = PollCounter()
        var begun: [Int] = []
        for caller in [busy, other] {
            for _ in 0..<4 { receive(caller, turns, bytes: 16 << 10) { begun.append(polls.count) } }
        }
        var hasBegun = false
        receive(.name(":1.3"), turns) { hasBegun = true }
        #expect(begun.count == 1 && hasBegun)
        while begun.count < 8 { await polled() }
        #expect(Set(begun).count == 8, "\(begun)")
    }

    @Test
    func `I15: a later call does not overtake waiting ones`() async {
        let turns = turns()
        var begun: [Int] = []
        for number in 0..<3 { receive(busy, turns) { begun.append(number) } }
        end(busy, turns)
        // The waiting call has its turn only after the next poll.
        receive(busy, turns) { begun.append(3) }
        #expect(begun == [0, 1])
        await polled()
        #expect(begun == [0, 1, 2])
    }

    @Test
    func `I15: calls with too many bytes wait, but a single call may have any size`() async {
        let turns = turns(8, mostBytes: 100)
        var begun: [Int] = []
        let sizes = [40, 60, 1, 500, 2]
        for (number, bytes) in sizes.enumerated() {
            receive(busy, turns, bytes: bytes) { begun.append(number) }
        }
        receive(other, turns, bytes: 100) { begun.append(10) }
        #expect(begun == [0, 1, 10])
        for (number, expected) in [[2], [2], [2, 3], [2, 3, 4]].enumerated() {
            end(busy, turns, bytes: sizes[number])
            await polled()
            #expect(begun == [0, 1, 10] + expected, "after the end of call \(number)")
        }
    }

    @Test
    func `I16: the calls of a caller that does not read its answers wait until it has read them`() async {
        let turns = turns(.max)
        final class Reader { @DBusActor var hasRead = false }
        let reader = Reader()
        var begun: [Int] = []
        receive(busy, turns) { begun.append(0) }
        let hasRead: @DBusActor () -> Bool = { reader.hasRead }
        for number in 1..<4 { receive(busy, turns, mayBegin: hasRead) { begun.append(number) } }
        end(busy, turns)
        await polled()
        #expect(begun == [0])
        reader.hasRead = true
        turns.proceed(busy)
        await polled()
        #expect(begun == [0, 1, 2, 3])
    }

    @Test
    func `the waiting calls of a caller that has left are dropped, except those without an answer`() async {
        let turns = turns()
        var begun: [Int] = []
        for number in 0..<8 { receive(busy, turns, expectsReply: number.isMultiple(of: 2)) { begun.append(number) } }
        turns.left(busy)
        #expect(turns.waitingCount == 3)
        for _ in 0..<2 { end(busy, turns) }
        await polled()
        for _ in 0..<2 { end(busy, turns) }
        await polled()
        #expect(begun == [0, 1, 3, 5, 7])
        #expect(turns.waitingCount == 0)
    }

    @Test
    func `control: without a limit, all calls of a caller begin at once`() {
        let turns = turns(.max)
        var count = 0
        for _ in 0..<100 { receive(busy, turns) { count += 1 } }
        #expect(count == 100)
    }
}

/// Counts how often the sockets have been polled.
@DBusActor
private final class PollCounter {
    private(set) var count = 0
    private let timer = DBusTimer()

    init() { countNext() }

    private func countNext() {
        timer.set(at: .now) { [weak self] in
            self?.count += 1
            self?.countNext()
        }
    }
}

/// Returns after the sockets have been polled, and work that was due by then has run.
@DBusActor
private func polled() async {
    let timer = DBusTimer()
    await withCheckedContinuation { continuation in timer.set(at: .now) { continuation.resume() } }
}
