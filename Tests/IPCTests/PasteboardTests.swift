import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

@DBusActor
struct PasteboardTests {
    @Test func aVersionIsReadWithItsFacts() async throws {
        let pair = try await Pair()
        let board = pair.application.generalPasteboard
        pair.broker.read = { options in
            var facts = VersionFacts()
            (facts.size, facts.time, facts.sourceApplication, facts.sourceStrength) = (5, 99, "demo.A", "owned")
            facts.digests = [[try Digest.of(.text("hello"))]]
            return (options.changeCount ?? 3, [.string("hello")], facts)
        }
        let version = try await board.version()
        #expect(version.changeCount == 3 && version.items == [.string("hello")] && version.byteCount == 5)
        #expect(version.source == Source(application: "demo.A", strength: .owned))
        #expect(version.writtenAt == Timestamp(millisecondsSince1970: 99))
        #expect(try await board.version(2).changeCount == 2)
        #expect(try await board.string == "hello")
        #expect(try await board.strings == ["hello"])
        #expect(try await board.url == nil)
        #expect(try await board.types == [[.utf8PlainText], [.png]])
    }

    @Test func i5ADamagedReadIsAnError() async throws {
        let pair = try await Pair()
        let board = Pasteboard(named: "böard/1", of: pair.application)
        pair.broker.read = { _ in
            var facts = VersionFacts()
            facts.digests = [[try Digest.of(.text("hello"))]]
            return (1, [.string("hellp")], facts)
        }
        let read = await #expect(throws: IPCError.self) { try await board.items }
        #expect(read?.code == .inputOutput)
        pair.broker.data = (.bytes([1]), VersionFacts())
        #expect(try await board.data(forType: .png) == [1])
        pair.broker.data.1.digest = try Digest.of(.bytes([2]))
        let data = await #expect(throws: IPCError.self) { try await board.data(forType: .png) }
        #expect(data?.code == .inputOutput)
    }

    @Test func aTakeCarriesAnID() async throws {
        let pair = try await Pair()
        let asked = Collected<GetItemsOptions>()
        pair.broker.read = { options in
            asked.add(options)
            return (1, [], VersionFacts())
        }
        _ = try await pair.application.generalPasteboard.take()
        let options = try #require(asked.elements.first)
        #expect(options.take == true && options.id != nil)
    }

    @Test func namesAreCheckedAndComparedByteByByte() async throws {
        let application = try await Pair().application
        for name in ["", "a\u{7}", "a\0", String(repeating: "ü", count: 128)] {
            let error = #expect(throws: IPCError.self) { try PasteboardName(name) }
            #expect(error?.code == .invalidName)
        }
        let (one, other): (PasteboardName, PasteboardName) = ("\u{E9}", "e\u{301}")
        #expect(one.text == other.text)
        #expect(Pasteboard(named: one, of: application) != Pasteboard(named: other, of: application))
    }

    @Test func listsAreReadPageByPage() async throws {
        let pair = try await Pair()
        pair.broker.boards = ["a1", "a2", "a3", "b1", "b2"]
        #expect(try await pair.application.pasteboards().all().map(\.name) == ["a1", "a2", "a3", "b1", "b2"])
        #expect(try await pair.application.pasteboards(prefix: "b").all().map(\.name) == ["b1", "b2"])
        pair.broker.boards = []
        #expect(try await pair.application.pasteboards().all().isEmpty)
    }

    @Test func i13ChangesContinueFromTheirCursor() async throws {
        let pair = try await Pair()
        pair.broker.change = { since in
            switch since {
            case 0: (10, [ChangedPasteboard(name: "old", changeCount: 9)], ChangeFacts())
            case 10: (10, [], ChangeFacts())  // the broker has waited without a change
            default: (since + 2, [("a", since + 1), ("b", 0)].map(ChangedPasteboard.init), ChangeFacts())
            }
        }
        var iterator = pair.application.changes(since: 11).makeAsyncIterator()
        let seen = [try await iterator.next(), try await iterator.next(), try await iterator.next()]
        #expect(seen.map { $0?.name } == ["a", "b", "a"])
        #expect(seen.map { $0?.changeCount } == [12, 0, 14])
        #expect(seen.map { $0?.isRemoved } == [false, true, false])
        #expect(seen.map { $0?.cursor } == [13, 13, 15])
        #expect(pair.broker.waited.map(\.since) == [11, 13])
        #expect(pair.broker.waited.allSatisfy { $0.names.isEmpty && $0.options.timeout == 20_000 })
    }

    @Test func changesWithoutACursorStartWithTheFirstCall() async throws {
        let pair = try await Pair()
        let asked = Collected<UInt64>()
        pair.broker.change = { since in
            asked.add(since)
            if asked.elements.count == 2 { return (since, [], ChangeFacts()) }
            return (since + 10, [ChangedPasteboard(name: "general", changeCount: since + 10)], ChangeFacts())
        }
        for try await change in pair.application.generalPasteboard.changes() {
            #expect(change.changeCount == 20 && !change.isResync)
            break
        }
        #expect(asked.elements == [0, 10, 10])
        #expect(pair.broker.waited.map(\.options.timeout) == [0, 20_000, 20_000])
    }

    @Test func afterAResyncUnlistedPasteboardsCountAsRemoved() async throws {
        let pair = try await Pair()
        pair.broker.change = { _ in
            var facts = ChangeFacts()
            facts.resync = true
            return (50, [ChangedPasteboard(name: "a", changeCount: 49)], facts)
        }
        var iterator = pair.application.changes(of: ["a", "b"], since: 7).makeAsyncIterator()
        let (one, other) = (try await iterator.next(), try await iterator.next())
        #expect(one?.name == "a" && one?.isRemoved == false && one?.isResync == true)
        #expect(other?.name == "b" && other?.isRemoved == true && other?.cursor == 50)
    }

    @Test func aCancelledTaskEndsTheChanges() async throws {
        let pair = try await Pair()
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.change = { since in
            asked.add(())
            await gate.wait()
            return (since, [], ChangeFacts())
        }
        let task = Task {
            var count = 0
            for try await _ in pair.application.changes(since: 1) { count += 1 }
            return count
        }
        _ = try await asked.wait(for: 1)
        task.cancel()
        #expect(try await task.value == 0)
        gate.end()
    }

    @Test func removalIsAwaited() async throws {
        let pair = try await Pair()
        let (board, asked) = (pair.application.generalPasteboard, Collected<UInt64>())
        pair.broker.change = { since in
            asked.add(since)
            let count: UInt64 = asked.elements.count == 3 ? 0 : 21
            return (since + 20, [ChangedPasteboard(name: "general", changeCount: count)], ChangeFacts())
        }
        try await board.waitUntilRemoved()
        #expect(asked.elements == [0, 20, 40])
        // A pasteboard that does not exist counts as removed, so the call returns without waiting.
        pair.broker.changeCount = { throw IPCError(.noSuchPasteboard, "none") }
        try await board.waitUntilRemoved()
        #expect(asked.elements == [0, 20, 40, 0])
        pair.broker.changeCount = { throw IPCError(.inputOutput, "broken") }
        await #expect(throws: IPCError(.inputOutput, "broken")) { try await board.waitUntilRemoved() }
    }
}
