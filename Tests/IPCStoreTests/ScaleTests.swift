import Foundation
import IPCModel
import IPCStore
import Testing

/// A store with much content is as fast as one with little.
@Suite(.serialized) struct ScaleTests {
    static let isFull = ProcessInfo.processInfo.environment["IPC_TEST_SIZE"] == "full"

    /// Runs the body several times and returns the shortest duration.
    private func fastest(of rounds: Int, _ body: () async throws -> Void) async throws -> Duration {
        var best = Duration.seconds(1_000)
        for _ in 0..<rounds { best = min(best, try await ContinuousClock().measure { try await body() }) }
        return best
    }

    private struct Times {
        var start, set, get, page, usage: Duration

        /// Each duration with its name.
        var all: [(name: String, time: Duration)] {
            [("start", start), ("set", set), ("get", get), ("page", page), ("usage", usage)]
        }
    }

    private func measure(boards: Int, items: Int) async throws -> Times {
        let place = try TestPlace()
        var store = try place.open()
        for first in stride(from: 0, to: boards, by: 100) {
            _ = try await store.stage { transaction in
                for index in first..<min(first + 100, boards) {
                    let name = PasteboardName.named("board \(index)")
                    _ = try transaction.createPasteboard(name, persistent: true)
                    let values = (0..<items).map { PasteboardItem.string("item \($0)") }
                    let options = WriteOptions(timeToLive: index % 100 == 0 ? 60_000 : nil)
                    _ = try transaction.setItems(values, on: name, options)
                }
            }
        }
        try await store.close()
        let start = try await fastest(of: 3) {
            let store = try place.open()
            try await store.close()
        }
        store = try place.open()
        let name = PasteboardName.named("board \(boards / 2)")
        let others = (0..<200).map { PasteboardName.named("board \($0 * 37 % boards)") }
        let times = Times(
            start: start,
            set: try await fastest(of: 5) {
                _ = try await store.stage { transaction in
                    for name in others { _ = try transaction.setItems([.string("x")], on: name) }
                }
            },
            get: try await fastest(of: 5) {
                _ = try await store.stage { transaction in
                    for name in others { _ = try transaction.items(of: name) }
                }
            },
            page: try await fastest(of: 5) {
                let page = try await store.stage { try $0.pasteboards(after: name, limit: 5) }.value
                #expect(page.count == 5)
            },
            usage: try await fastest(of: 5) { _ = try await store.stage { $0.usage() } })
        try await store.close()
        return times
    }

    @Test func manyPasteboardsAndItemsCostNoMoreThanFew() async throws {
        let (boards, items) = Self.isFull ? (10_000, 100) : (1_000, 20)
        let few = try await measure(boards: 10, items: 10)
        let many = try await measure(boards: boards, items: items)
        print("store: 10 boards, 100 items: \(few)\nstore: \(boards) boards, \(boards * items) items: \(many)")
        // A duration that grew with the size of the store would be a hundred times as long.
        for (one, other) in zip(few.all, many.all) {
            #expect(other.time < max(one.time * 10, .milliseconds(10)), "\(other)")
        }
    }
}
