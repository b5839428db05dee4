import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I13: a watcher learns of every changed board, and of the last change, whatever happens in between.
@DBusActor
@Suite(.privateBus, .serialized)
struct WatchingTests {
    private static let boards = (0..<5).map { "watched\($0)" }

    @Test func `I13: watchers that come and go reach the last version, across a restart`() async throws {
        let (watchers, changes) = (TestSize.pick(small: 20, full: 100), TestSize.pick(small: 200, full: 1_000))
        var generator = SeededGenerator.forTest("watching")
        let broker = try await BrokerProcess.start()
        let writer = try await BrokerClient()
        for board in Self.boards { try await writer.create(board) }
        var all: [any BoardWatcher] = []
        for number in 0..<watchers {
            // Half of the watchers watch all pasteboards, and half only those of the test.
            let names = number % 2 == 0 ? [] : Self.boards
            all.append(number % 10 == 9 ? try await LibraryWatcher(names) : try await WireWatcher(names))
        }
        let last = try await withThrowingTaskGroup(of: Void.self) { [all] group in
            for watcher in all { group.addTask { try await watcher.watch() } }
            let last = try await write(changes, writer, broker, all, &generator)
            for (number, watcher) in all.enumerated() {
                try await withDeadline("last versions \(last) at watcher \(number)", seen: "\(watcher.seen.value)") {
                    try await watcher.seen.wait { seen in
                        last.allSatisfy { seen[$0.key] == $0.value } ? () : nil
                    }
                }
            }
            group.cancelAll()
            for watcher in all { try await watcher.disconnect() }
            try? await group.waitForAll()
            return last
        }
        #expect(last.count == Self.boards.count)
    }

    /// Makes changes, closes watchers' connections, and restarts the broker half-way; returns the last change count of
    /// each board.
    private func write(
        _ changes: Int, _ writer: BrokerClient, _ broker: BrokerProcess, _ watchers: [any BoardWatcher],
        _ generator: inout SeededGenerator
    ) async throws -> [String: UInt64] {
        var last: [String: UInt64] = [:]
        for number in 0..<changes {
            let board = Self.boards[Int.random(in: 0..<Self.boards.count, using: &generator)]
            last[board] = try await writer.set([.string("\(number)")], on: board)
            if number % 10 == 5 {
                try await watchers[Int.random(in: 0..<watchers.count, using: &generator)].disconnect()
            }
            if number == changes / 2 { try await broker.restart() }
        }
        return last
    }

    /// The control: a watcher that forgets its position does not reach the last version.
    @Test(arguments: [true, false])
    func `control: a watcher without a position misses changes`(goesOn: Bool) async throws {
        _ = try await BrokerProcess.start()
        let writer = try await BrokerClient()
        try await writer.create("watched")
        let watcher = try await WireWatcher(["watched"], goesOn: goesOn)
        let first = try await writer.set([.string("first")], on: "watched")
        try await watcher.ask(milliseconds: 0)
        #expect(watcher.seen.value["watched"] == first)
        watcher.leave()
        let last = try await writer.set([.string("last")], on: "watched")
        try await watcher.comeBack()
        #expect((watcher.seen.value["watched"] == last) == goesOn)
    }

    @Test func `I13: a thousand concurrent watchers learn of one change`() async throws {
        let broker = try await BrokerProcess.start()
        let writer = try await BrokerClient()
        try await writer.create("watched")
        let base = try broker.openDescriptors
        let since = try await writer.set([.string("before")], on: "watched")
        var opened: [BrokerClient] = []
        for _ in 0..<50 { opened.append(try await BrokerClient()) }
        let clients = opened
        let told = Observed<[UInt64]>([])
        let (change, time) = try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                let client = clients[number % clients.count]
                group.addTask {
                    let answer = try await client.call(
                        Pasteboards1.waitForChange, (["watched"], since, WaitOptions()))
                    told.update { $0.append(answer.1.first?.changeCount ?? 0) }
                }
            }
            try await watching(1_000, writer)
            let begin = ContinuousClock.now
            let change = try await writer.set([.string("after")], on: "watched")
            try await group.waitForAll()
            return (change, ContinuousClock.now - begin)
        }
        #expect(told.value == Array(repeating: change, count: 1_000))
        #expect(time < .seconds(2))
        try await watching(0, writer)
        for client in clients { client.connection.close() }
        // I17: the descriptors of the watchers that left are released.
        try? await withDeadline("descriptors back at \(base)", limit: .seconds(1)) {
            while try broker.openDescriptors != base { _ = try await writer.get("watched") }
        }
        #expect(try broker.openDescriptors == base)
    }

    /// Returns when this many calls are waiting in the broker.
    private func watching(_ count: Int, _ client: BrokerClient) async throws {
        try await withDeadline("\(count) watchers") { @DBusActor in
            while true {
                let text = try await client.call(Broker1.describe, NoOptions())
                if text.firstMatch(of: /"state":.*"watchers":"([0-9]+)"/)?.1 == "\(count)" { return }
            }
        }
    }
}
