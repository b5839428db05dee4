import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct PasteboardTests {
    let place: TestPlace
    let board = PasteboardName.named("demo.IPCClient")

    init() throws { place = try TestPlace() }

    @Test func generalAlwaysExistsInMemory() async throws {
        let store = try place.open()
        let general = try #require(try await store.commit { try $0.pasteboard(.general) })
        #expect(!general.isPersistent && general.changeCount > 0)
        await #expect(throws: PasteboardError.generalCannotBeRemoved) {
            try await store.commit { try $0.removePasteboard(.general) }
        }
        try await store.close()
    }

    @Test func generalMadePersistentStaysPersistent() async throws {
        var store = try place.open()
        try await store.commit { try $0.setPersistent(true, of: .general) }
        try await store.put("kept", on: .general)
        try await store.close()
        store = try place.open()
        #expect(try await store.text(of: .general) == "kept")
        try await store.close()
    }

    @Test func creatingTwiceCreatesOne() async throws {
        let store = try place.open()
        let first = try await store.commit { try $0.createPasteboard(board, persistent: true).isNew }
        let second = try await store.commit { try $0.createPasteboard(board, persistent: false).isNew }
        #expect(first && !second)
        let state = try await store.commit { try $0.pasteboard(board) }
        #expect(state?.isPersistent == true)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func creatingAPasteboardWithItemsIsOneChange(persistent: Bool) async throws {
        let store = try place.open()
        let before = try await store.commit { try $0.changes(since: 0).latest }
        for isAddition in [false, true] {
            let name = PasteboardName.named("new \(isAddition)")
            let options = WriteOptions(id: .random(), createsPersistent: persistent)
            let count = try await store.commit { [items = [PasteboardItem.string("first")]] in
                isAddition ? try $0.addItems(items, to: name, options) : try $0.setItems(items, on: name, options)
            }
            let state = try #require(try await store.commit { try $0.pasteboard(name) })
            #expect(state.isPersistent == persistent && state.versions == [count])
            #expect(try await store.text(of: name) == "first")
            let changes = try await store.commit { try $0.changes(of: [name], since: before) }
            #expect(changes.changed.map(\.changeCount) == [count])
            // A repeated call changes nothing, and the next one creates a second version.
            let again = try await store.commit { [items = [PasteboardItem.string("first")]] in
                isAddition ? try $0.addItems(items, to: name, options) : try $0.setItems(items, on: name, options)
            }
            #expect(again == count)
            let second = try await store.put("second", on: name)
            #expect(try await store.commit { try $0.pasteboard(name)?.versions } == [count, second])
        }
        try await store.close()
    }

    @Test func failedWriteCreatesNoPasteboard() async throws {
        let store = try place.open { $0.limits.storedBytes = 3 }
        let options = WriteOptions(createsPersistent: true)
        let before = try await store.commit { try $0.pasteboards(limit: 10).count }
        await #expect(throws: LimitExceeded.self) {
            try await store.commit { [board] in try $0.setItems([.string("long")], on: board, options) }
        }
        // One call has a condition on the change count of a pasteboard that does not exist; the other may not create a
        // pasteboard.
        for options in [WriteOptions(ifChangeCount: 1, createsPersistent: true), WriteOptions()] {
            await #expect(throws: PasteboardError.noSuchPasteboard(board)) {
                try await store.commit { [board] in try $0.setItems([.string("x")], on: board, options) }
            }
        }
        #expect(try await store.commit { try $0.pasteboards(limit: 10).count } == before)
        // The control: without a condition, a call that may create the pasteboard succeeds.
        _ = try await store.commit { [board] in try $0.setItems([.string("x")], on: board, options) }
        #expect(try await store.text(of: board) == "x")
        try await store.close()
    }

    @Test func namesAreComparedByteByByte() async throws {
        let store = try place.open()
        // Swift's `==` treats the first two as equal: one has a precomposed letter, the other a combining accent.
        let names = [PasteboardName.named("caf\u{E9}"), .named("cafe\u{301}"), .named("CAF\u{E9}")]
        for (index, name) in names.enumerated() { try await store.put("\(index)", on: name) }
        for (index, name) in names.enumerated() { #expect(try await store.text(of: name) == "\(index)") }
        try await store.close()
    }

    @Test func listIsPagedInByteOrder() async throws {
        let store = try place.open()
        let names = ["z", "a", "ab", "abc", "b", "é", "A"].map { PasteboardName.named($0) }
        for (index, name) in names.enumerated() {
            _ = try await store.commit { try $0.createPasteboard(name, persistent: index % 2 == 0) }
        }
        var listed: [String] = []
        var last: PasteboardName?
        while true {
            let after = last
            let page = try await store.commit { try $0.pasteboards(after: after, limit: 2) }
            guard let end = page.last else { break }
            listed += page.map(\.name.text)
            last = end.name
        }
        #expect(listed == ["A", "a", "ab", "abc", "b", "general", "z", "é"])
        let prefixed = try await store.commit { try $0.pasteboards(limit: 10, prefix: "ab") }
        #expect(prefixed.map(\.name.text) == ["ab", "abc"])
        let none = try await store.commit { try $0.pasteboards(limit: 0) }
        #expect(none.isEmpty)
        try await store.close()
    }

    @Test func numberOfPasteboardsIsLimited() async throws {
        var store = try place.open { $0.limits.pasteboards = 3 }
        try await store.put("1", on: .named("a"))
        try await store.put("2", on: .named("b"), persistent: false)
        let refusal = LimitExceeded(limit: "pasteboards", use: 3, request: 1, allowed: 3)
        await #expect(throws: refusal) { try await store.put("3", on: .named("c")) }
        try await store.commit { try $0.removePasteboard(.named("a")) }
        try await store.put("3", on: .named("c"))
        try await store.close()
        store = try place.open { $0.limits.pasteboards = 2 }
        await #expect(throws: LimitExceeded.self) { try await store.put("4", on: .named("d")) }
        try await store.close()
    }

    @Test func removalRemovesAllVersions() async throws {
        let store = try place.open()
        try await store.put("hello", on: board)
        try await store.commit { try $0.removePasteboard(board) }
        await #expect(throws: PasteboardError.noSuchPasteboard(board)) { try await store.text(of: board) }
        await #expect(throws: PasteboardError.noSuchPasteboard(board)) {
            try await store.commit { try $0.removePasteboard(board) }
        }
        try await store.close()
    }

    @Test func pasteboardMovesToTheDiskAndBackWithItsVersions() async throws {
        var store = try place.open()
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: false)
            try transaction.setHistoryLimit(4, of: board)
            _ = try transaction.setItems([.string("one")], on: board)
            _ = try transaction.addItems([.string("two")], to: board)
        }
        let before = try await store.commit { try $0.pasteboard(board) }
        for persistent in [true, false, true] {
            try await store.commit { try $0.setPersistent(persistent, of: board) }
            let after = try await store.commit { try $0.pasteboard(board) }
            #expect(after?.isPersistent == persistent)
            #expect(after?.versions == before?.versions)
        }
        try await store.close()
        store = try place.open()
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == [.string("one"), .string("two")])
        let versions = try #require(before?.versions)
        let earlier = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: versions[1])) }
        #expect(earlier.items == [.string("one")])
        try await store.close()
    }

    @Test func pasteboardInMemoryEndsWithTheStore() async throws {
        var store = try place.open()
        try await store.put("secret of the day", on: board, persistent: false)
        try await store.close()
        let file = try place.bytes(place.database)
        #expect(!String(decoding: file, as: UTF8.self).contains("secret of the day"))
        store = try place.open()
        let state = try await store.commit { try $0.pasteboard(board) }
        #expect(state == nil)
        try await store.close()
    }
}
