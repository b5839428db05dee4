import IPCModel
import Testing

@testable import IPCStore

/// Representations that are provided when a program reads them.
@Suite(.serialized) struct PromiseTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let writer = ":1.7@0123456789abcdef"

    init() throws { place = try TestPlace() }

    private func promising(_ types: [[ContentType]], sensitive: Bool = false) -> WriteOptions {
        WriteOptions(isSensitive: sensitive, promises: types, writer: writer)
    }

    private func put(
        _ items: [PasteboardItem], _ options: WriteOptions, in store: Store, persistent: Bool = true
    ) async throws -> UInt64 {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            return try transaction.setItems(items, on: board, options)
        }
    }

    private func fulfil(
        _ item: UInt32, _ type: ContentType, _ count: UInt64, _ text: String, in store: Store
    ) async throws -> Bool {
        let promise = Promise(item: item, type: type)
        return try await store.commit {
            try $0.fulfil(promise, of: board, changeCount: count, with: .text(text))
        }
    }

    private func missing(_ types: [ContentType]? = nil, in store: Store) async -> UnfulfilledPromises? {
        do {
            _ = try await store.commit { try $0.items(of: board, ReadOptions(types: types)) }
            return nil
        } catch {
            return error as? UnfulfilledPromises
        }
    }

    @Test(arguments: [(true, false), (false, false), (true, true), (false, true)])
    func readerRequestsMissingValuesAndThenGetsThem(persistent: Bool, sensitive: Bool) async throws {
        let store = try place.open()
        let options = promising([[.html, .png], [], [.json]], sensitive: sensitive)
        let count = try await put([.string("one"), .string("two")], options, in: store, persistent: persistent)
        let types = try await store.commit { try $0.types(of: board) }
        #expect(types == [[.utf8PlainText, .html, .png], [.utf8PlainText], [.json]])
        #expect(try await store.commit { try $0.facts(of: board) }.itemCount == 3)
        let all = [Promise(item: 0, type: .html), Promise(item: 0, type: .png), Promise(item: 2, type: .json)]
        let unfulfilled = UnfulfilledPromises(
            pasteboard: board, changeCount: count, writer: writer, writtenAt: count, isSensitive: sensitive,
            wanted: all)
        #expect(await missing(in: store) == unfulfilled)
        #expect(await missing([.json, .utf8PlainText], in: store)?.wanted == [all[2]])
        #expect(try await store.commit { try $0.promises(by: writer) } == [unfulfilled])
        #expect(try await store.commit { try $0.promises(by: ":1.8@x") }.isEmpty)
        for promise in all {
            let text = promise.type.text
            #expect(try await fulfil(promise.item, promise.type, count, text, in: store))
            // A second value for the same promise comes too late.
            #expect(try await !fulfil(promise.item, promise.type, count, "other", in: store))
        }
        #expect(try await store.commit { try $0.promises(by: writer) }.isEmpty)
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items.map(\.types) == types && content.facts.changeCount == count)
        let json = Representation(type: .json, value: .text("application/json"))
        #expect(content.items[2].representations == [json])
        #expect(content.facts.byteCount == UInt64(6 + "text/html".count + "image/png".count + "application/json".count))
        try await store.close()
    }

    @Test func existingValuesAreReadWithoutTheWriter() async throws {
        let store = try place.open()
        _ = try await put([.string("one")], promising([[.html]]), in: store)
        #expect(await missing([.utf8PlainText], in: store) == nil)
        let read = try await store.commit { try $0.representation(0, .utf8PlainText, of: board).representation }
        #expect(read.value == .text("one"))
        await #expect(throws: UnfulfilledPromises.self) {
            try await store.commit { try $0.representation(0, .html, of: board).facts }
        }
        await #expect(throws: UnfulfilledPromises.self) {
            try await store.commit { try $0.takeItems(of: board).changeCount }
        }
        try await store.close()
    }

    @Test func promisedHintOfAPasswordManagerMakesTheVersionSensitive() async throws {
        let store = try place.open()
        let hint = try ContentType("x-kde-passwordManagerHint")
        for types in [[[], [.html, hint]], [[.html], [hint]]] {
            #expect(types.isMarkedSensitive)
            _ = try await put([.string("one")], promising(types), in: store)
            #expect(try await store.commit { try $0.facts(of: board) }.isSensitive)
            #expect(await missing([hint], in: store)?.isSensitive == true)
            #expect(try await store.commit { try $0.promises(by: writer) }.map(\.isSensitive) == [true])
        }
        // The control: a type whose name only resembles the hint does not make the version sensitive.
        let types = [[try ContentType("x-kde-passwordManagerHints"), .html]]
        #expect(!types.isMarkedSensitive)
        _ = try await put([.string("one")], promising(types), in: store)
        #expect(await missing(in: store)?.isSensitive == false)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func promisesOfAVersionAreLimited(sensitive: Bool) async throws {
        let store = try place.open { $0.limits.promisesPerVersion = 3 }
        let four = promising([[.html, .png], [.json, .html]], sensitive: sensitive)
        let tooMany = LimitExceeded(limit: "promises-per-version", use: 0, request: 4, allowed: 3)
        await #expect(throws: tooMany) { try await put([], four, in: store) }
        let three = promising([[.html, .png], [.json]], sensitive: sensitive)
        let count = try await put([], three, in: store)
        let more = LimitExceeded(limit: "promises-per-version", use: 3, request: 1, allowed: 3)
        let one = promising([[.html]])
        await #expect(throws: more) {
            try await store.commit { try $0.addItems([], to: board, one) }
        }
        // The limit does not count fulfilled promises, or representations that were written without a promise.
        #expect(try await fulfil(1, .json, count, "{}", in: store))
        _ = try await store.commit { try $0.addItems([.string("x")], to: board) }
        _ = try await store.commit { try $0.addItems([], to: board, one) }
        #expect(try await store.commit { try $0.types(of: board) }.count == 4)
        try await store.close()
    }

    @Test func promisesSurviveARestart() async throws {
        var store = try place.open()
        let count = try await put([.string("one")], promising([[.html], [.png]]), in: store)
        let crashed = try Store.open(place.crashImage())
        #expect(try await crashed.commit { try $0.promises(by: writer) }.map(\.wanted.count) == [2])
        try await crashed.close()
        try await store.close()
        store = try place.open()
        #expect(try await store.commit { try $0.promises(by: writer) }.map(\.changeCount) == [count])
        #expect(try await fulfil(1, .png, count, "given", in: store))
        try await store.close()
        store = try place.open()
        #expect(await missing([.png], in: store) == nil)
        #expect(await missing([.html], in: store)?.wanted == [Promise(item: 0, type: .html)])
        try await store.close()
    }

    @Test func addedItemsKeepThePromisesOfEachWriter() async throws {
        let store = try place.open()
        let first = try await put([.string("one")], promising([[.html]]), in: store)
        let second = try await store.commit {
            try $0.addItems([.string("two")], to: board, WriteOptions(promises: [[.png]], writer: "other"))
        }
        let other = Promise(item: 1, type: .png)
        #expect(await missing(in: store)?.writer == writer)
        #expect(
            await missing([.png], in: store)
                == UnfulfilledPromises(
                    pasteboard: board, changeCount: second, writer: "other", writtenAt: second, isSensitive: false,
                    wanted: [other]))
        let own = try await store.commit { try $0.promises(by: writer) }
        #expect(own.map(\.writtenAt) == [first] && own.map(\.changeCount) == [second])
        // Both versions share the promise. Once it is fulfilled, both have the value, and each is charged for it.
        let before = try await store.commit { $0.usage() }.total.bytes
        #expect(try await fulfil(0, .html, second, "<p>", in: store))
        #expect(try await store.commit { $0.usage() }.total.bytes == before + 6)
        let earlier = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: first)) }
        #expect(earlier.items[0].types == [.utf8PlainText, .html] && earlier.facts.byteCount == 6)
        #expect(await missing(in: store)?.writer == "other")
        try await store.close()
    }

    @Test func onlyOpenPromisesAreFulfilled() async throws {
        let store = try place.open()
        let count = try await put([.string("one")], promising([[.html]]), in: store)
        #expect(try await !fulfil(0, .png, count, "x", in: store))
        #expect(try await !fulfil(1, .html, count, "x", in: store))
        #expect(try await !fulfil(0, .utf8PlainText, count, "x", in: store))
        #expect(try await !fulfil(0, .html, count + 1, "x", in: store))
        for _ in 0..<2 { try await store.put("next", on: board) }
        #expect(try await !fulfil(0, .html, count, "x", in: store))
        #expect(try await store.commit { try $0.promises(by: writer) }.isEmpty)
        try await store.commit { try $0.removePasteboard(board) }
        #expect(try await !fulfil(0, .html, count, "x", in: store))
        try await store.close()
    }

    @Test func duplicateTypesAndEmptyItemsAreRejected() async throws {
        let store = try place.open()
        await #expect(throws: PasteboardItem.Invalid.typeTwice(.utf8PlainText)) {
            try await put([.string("one")], promising([[.utf8PlainText]]), in: store)
        }
        await #expect(throws: PasteboardItem.Invalid.typeTwice(.html)) {
            try await put([], promising([[.html, .html]]), in: store)
        }
        await #expect(throws: PasteboardItem.Invalid.empty) {
            try await put([.string("one")], promising([[.html], []]), in: store)
        }
        try await store.close()
    }

    @Test func valueBeyondALimitIsRejected() async throws {
        let store = try place.open { $0.limits.storedBytes = 100 }
        let count = try await put([.string("one")], promising([[.html]]), in: store)
        let tooMuch = LimitExceeded(limit: "stored-bytes", use: 3, request: 98, allowed: 100)
        await #expect(throws: tooMuch) {
            try await fulfil(0, .html, count, String(repeating: "x", count: 98), in: store)
        }
        #expect(try await fulfil(0, .html, count, String(repeating: "x", count: 97), in: store))
        #expect(try await store.commit { $0.usage() }.total.bytes == 100)
        try await store.close()
    }

    @Test func promisesArePartOfACallsArguments() async throws {
        let store = try place.open()
        let id = RequestID.random()
        var options = promising([[.html]])
        options.id = id
        let asked = options
        let count = try await put([.string("one")], asked, in: store)
        var again = asked
        // The repeated call may come from another connection, because the caller may have reconnected.
        again.writer = "other"
        #expect(try await put([.string("one")], again, in: store) == count)
        let changes: [(inout WriteOptions) -> Void] = [
            { $0.promises = [[.png]] }, { $0.promises = [] }, { $0.timeToLive = 1 }, { $0.isOnce = true },
            { $0.isSensitive = true },
        ]
        for change in changes {
            var other = asked
            change(&other)
            let changed = other
            await #expect(throws: PasteboardError.identifierReused(id)) {
                try await put([.string("one")], changed, in: store)
            }
        }
        try await store.close()
    }
}
