import IPCModel
import Testing

@testable import IPCStore

@Suite(.serialized) struct VersionTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    private func versions(_ store: Store) async throws -> [UInt64] {
        try await store.commit { try $0.pasteboard(board)?.versions } ?? []
    }

    @Test func itemsComeBackByteForByteInOrder() async throws {
        let store = try place.open()
        let items = [
            try PasteboardItem([
                Representation(type: .html, value: .text("<b>é\u{1F600}</b>")),
                Representation(type: .utf8PlainText, value: .text("")),
                Representation(type: try ContentType("Image/PNG;a=b"), value: .bytes([0, 255, 1])),
            ]),
            .data([]), .data(Array(repeating: 7, count: 100_000)),
        ]
        let source = Source(application: "demo.Writer", strength: .sandboxed)
        let count = try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: true)
            return try transaction.setItems(items, on: board, WriteOptions(source: source))
        }
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == items)
        #expect(content.items[0].types.map(\.text) == items[0].types.map(\.text))
        #expect(
            content.facts
                == VersionFacts(
                    changeCount: count, source: source, time: place.clock.now, itemCount: 3, byteCount: 100_016))
        try await store.close()
    }

    @Test func typesChooseRepresentations() async throws {
        let store = try place.open()
        let both = try PasteboardItem([
            Representation(type: .html, value: .text("<p>")), Representation(type: .plainText, value: .text("p")),
        ])
        try await store.put("", on: board)
        _ = try await store.commit { try $0.setItems([both, .data([1])], on: board) }
        let html = try await store.commit { try $0.items(of: board, ReadOptions(types: [.html])) }
        #expect(html.items == [try PasteboardItem([both.representations[0]]), try PasteboardItem(read: [])])
        let types = try await store.commit { try $0.types(of: board) }
        #expect(types == [[.html, .plainText], [.octetStream]])
        try await store.close()
    }

    @Test func oneRepresentationComesWithItsFacts() async throws {
        let store = try place.open()
        try await store.put("x", on: board)
        let items = [PasteboardItem.string("a"), .data([1, 2, 3], type: .png)]
        let count = try await store.commit { try $0.setItems(items, on: board) }
        let found = try await store.commit { try $0.representation(1, .png, of: board) }
        #expect(found.representation.value == .bytes([1, 2, 3]))
        #expect(found.facts.size == 3 && found.facts.version.changeCount == count)
        #expect(found.facts.digest == ContentDigest(of: [1, 2, 3]))
        // The published value of XXH3-128 for empty input.
        #expect(ContentDigest(of: []).description == "xxh128:99aa06d3014798d86001c324468d497f")
        await #expect(throws: PasteboardError.noSuchItem(item: 2, count: 2)) {
            try await store.commit { try $0.representation(2, .png, of: board).facts }
        }
        await #expect(throws: PasteboardError.noSuchRepresentation(item: 0, type: "image/png")) {
            try await store.commit { try $0.representation(0, .png, of: board).facts }
        }
        try await store.close()
    }

    @Test func addingItemsExtendsTheVersion() async throws {
        let store = try place.open()
        try await store.put("one", on: board)
        let first = try await versions(store).last
        _ = try await store.commit { try $0.addItems([.string("two"), .string("three")], to: board) }
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items.map(\.string) == ["one", "two", "three"])
        let earlier = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: first)) }
        #expect(earlier.items.map(\.string) == ["one"])
        _ = try await store.commit { try $0.clear(board) }
        _ = try await store.commit { try $0.addItems([.string("new")], to: board) }
        #expect(try await store.text(of: board) == "new")
        try await store.close()
    }

    @Test func historyKeepsTheCurrentVersionAndOneBefore() async throws {
        let store = try place.open()
        try await store.put("1", on: board)
        try await store.put("2", on: board)
        try await store.put("3", on: board)
        let kept = try await versions(store)
        #expect(kept.count == 2)
        let before = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: kept[0])) }
        #expect(before.items == [.string("2")])
        await #expect(throws: PasteboardError.noSuchVersion(board, kept[0] - 1)) {
            try await store.commit { try $0.facts(of: board, changeCount: kept[0] - 1) }
        }
        try await store.close()
    }

    @Test(arguments: [0, 1, 5, 100] as [UInt32])
    func historyIsLimited(limit: UInt32) async throws {
        let store = try place.open()
        try await store.put("", on: board)
        try await store.commit { try $0.setHistoryLimit(limit, of: board) }
        for number in 0..<110 { _ = try await store.stage { try $0.setItems([.string("\(number)")], on: board) } }
        let kept = try await versions(store)
        #expect(kept.count == Int(limit) + 1)
        for (index, count) in kept.enumerated() {
            let content = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
            #expect(content.items.first?.string == "\(110 - kept.count + index)")
        }
        try await store.commit { try $0.setHistoryLimit(0, of: board) }
        #expect(try await versions(store) == [kept[kept.count - 1]])
        try await store.close()
    }

    @Test func historyLimitAbove100IsRefused() async throws {
        let store = try place.open()
        await #expect(throws: LimitExceeded.self) {
            try await store.commit { try $0.setHistoryLimit(101, of: .general) }
        }
        try await store.close()
    }

    @Test func compareAndSetHasOneWinner_I12() async throws {
        let store = try place.open()
        let start = try await store.put("start", on: board)
        let winners = await withTaskGroup(of: UInt64?.self) { group in
            for number in 0..<64 {
                group.addTask { [board] in
                    try? await store.commit {
                        try $0.setItems([.string("\(number)")], on: board, WriteOptions(ifChangeCount: start))
                    }
                }
            }
            var winners: [UInt64] = []
            for await winner in group { if let winner { winners.append(winner) } }
            return winners
        }
        #expect(winners.count == 1)
        #expect(try await versions(store).last == winners.first)
        try await store.close()
    }

    @Test func versionMustFitInAMessage() async throws {
        let store = try place.open { ($0.limits.inlineMessageBytes, $0.limits.itemsPerVersion) = (1_000, 3) }
        try await store.put("", on: board)
        _ = try await store.commit { try $0.setItems([.data(Array(repeating: 0, count: 1_000))], on: board) }
        await #expect(throws: LimitExceeded.self) {
            try await store.commit { try $0.setItems([.data(Array(repeating: 0, count: 1_001))], on: board) }
        }
        let one = PasteboardItem.data([1])
        await #expect(throws: LimitExceeded.self) { try await store.commit { try $0.addItems([one], to: board) } }
        await #expect(throws: LimitExceeded.self) {
            try await store.commit { try $0.setItems([one, one, one, one], on: board) }
        }
        try await store.close()
    }
}
