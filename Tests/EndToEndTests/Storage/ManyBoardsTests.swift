import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// A store with very many pasteboards and items: the list is complete when read in pages, and operations do not slow
/// down.
@DBusActor
@Suite(.privateBus, .serialized)
struct ManyBoardsTests {
    private static let count = TestSize.pick(small: 200, full: 10_000)
    private static let items = TestSize.pick(small: 25, full: 100)
    private static let longestStart = Duration.seconds(2)
    /// The maximum memory of the broker, which keeps the content on disk.
    private static let memory = 64 << 20

    @Test func `very many pasteboards are listed in pages, complete and in byte order`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "pasteboards-per-source=20000"]
        let broker = try await BrokerProcess.start(settings)
        let client = try await BrokerClient()
        let (small, names) = (Self.names(10), Self.names(Self.count))
        try await fill(small, client)
        let few = try await figures(client, small[0])
        try await fill(Array(names.dropFirst(10)), client)
        try await expectComplete(names, client)
        try await broker.restart()
        let afterKill = broker.startTime
        let many = try await figures(client, names[0])
        try await expectComplete(names, client)
        try await broker.terminate()
        try await broker.restart()
        print("10 pasteboards: \(few)\n\(names.count) pasteboards: \(many)")
        print("\(names.count) pasteboards: started in \(afterKill), after a clean end in \(broker.startTime)")
        #expect(max(afterKill, broker.startTime) < Self.longestStart)
        for (one, other) in zip(few, many) {
            #expect(other.time < max(one.time * 10, .milliseconds(10)), "\(other)")
        }
        let last = try await client.get(names[names.count - 1]).items
        #expect(last.map(\.string) == (0..<Self.items).map { "\($0) of \(names[names.count - 1])" })
        #expect(try broker.residentAnonymousBytes < Self.memory)
    }

    /// Names whose order by bytes differs from the order by language, by case, and by UTF-16.
    private static func names(_ count: Int) -> [String] {
        let kinds = ["board", "Board", "büro", "\u{FF5E}wide", "\u{1F600}face", "a.b", "a-b", "a_b", " blank", "~"]
        return (0..<count).map { "\(kinds[$0 % kinds.count])\($0)" }
    }

    private func fill(_ names: [String], _ client: BrokerClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<32 {
                let part = stride(from: start, to: names.count, by: 32).map { names[$0] }
                group.addTask { try await self.write(part, client) }
            }
            try await group.waitForAll()
        }
    }

    private func write(_ names: [String], _ client: BrokerClient) async throws {
        for name in names {
            try await client.create(name)
            try await client.set((0..<Self.items).map { .string("\($0) of \(name)") }, on: name)
        }
    }

    /// Reads the list of pasteboards in pages of several sizes, also for a prefix, and checks that it is complete.
    private func expectComplete(_ names: [String], _ client: BrokerClient) async throws {
        let expected = (names + ["general"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for limit in [nil, 7, 1_000] as [UInt32?] where limit != 7 || names.count < 1_000 {
            let rows = try await list(client, limit: limit)
            #expect(rows.map(\.name) == expected)
            let counts = rows.filter { $0.name != "general" }.map(\.facts.itemCount)
            #expect(counts.allSatisfy { $0 == UInt32(Self.items) })
            #expect(Set(rows.map(\.changeCount)).count == rows.count)
        }
        for prefix in ["board", "b", "\u{1F600}", "none"] {
            let rows = try await list(client, limit: 50, prefix: prefix)
            #expect(rows.map(\.name) == expected.filter { $0.utf8.starts(with: prefix.utf8) })
        }
    }

    private func list(
        _ client: BrokerClient, limit: UInt32?, prefix: String? = nil
    ) async throws -> [PasteboardRow] {
        var rows: [PasteboardRow] = []
        while true {
            var options = ListPasteboardsOptions()
            (options.limit, options.prefix, options.after) = (limit, prefix, rows.last?.name)
            let page = try await client.call(Pasteboards1.listPasteboards, options)
            #expect(page.count <= Int(limit ?? 1_000))
            guard !page.isEmpty else { return rows }
            rows += page
        }
    }

    /// The median times of several operations, each with the operation's name.
    private func figures(
        _ client: BrokerClient, _ board: String
    ) async throws -> [(name: String, time: Duration)] {
        let items: [PasteboardItem] = (0..<Self.items).map { .string("\($0) of \(board)") }
        let set = try await median { try await client.set(items, on: board) }
        let get = try await median { _ = try await client.get(board) }
        let page = try await median {
            var options = ListPasteboardsOptions()
            options.limit = 10
            _ = try await client.call(Pasteboards1.listPasteboards, options)
        }
        return [("SetItems", set), ("GetItems", get), ("a page of 10", page)]
    }

    private func median(_ body: () async throws -> Void) async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<101 {
            let begin = ContinuousClock.now
            try await body()
            times.append(ContinuousClock.now - begin)
        }
        return times.sorted()[50]
    }
}
