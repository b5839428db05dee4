import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of the members that read strings, URLs and other kinds of content, with a fake broker that holds one version.
@DBusActor
struct TypedReadingTests {
    private let pair: Pair
    private var board: Pasteboard { pair.application.generalPasteboard }
    private let asked = Collected<GetItemsOptions>()

    init() async throws { pair = try await Pair() }

    private func hold(_ items: [PasteboardItem], changeCount: UInt64 = 1) {
        pair.broker.hold(items, changeCount: changeCount)
        let read = pair.broker.read
        let asked = asked
        pair.broker.read = { options in
            asked.add(options)
            return try await read(options)
        }
    }

    private func several() throws -> [PasteboardItem] {
        [
            .image([1, 2], type: .png), .string("one"), try .url("x:two words"),
            try PasteboardItem([
                Representation(type: .jpeg, value: .bytes([3])), Representation(type: .png, value: .bytes([4])),
                Representation(type: .plainText, value: .text("zwei ü")),
            ]),
            try .url("y:"),
        ]
    }

    @Test func contentIsFoundByItsKind() async throws {
        hold(try several())
        #expect(try await board.string == "one")
        #expect(try await board.strings == ["one", "zwei ü"])
        #expect(try await board.url == "x:two words")
        #expect(try await board.urls == ["x:two words", "y:"])
        #expect(try await board.image == Representation(type: .png, value: .bytes([1, 2])))
        #expect(
            try await board.images == [
                Representation(type: .png, value: .bytes([1, 2])), Representation(type: .jpeg, value: .bytes([3])),
            ])
        #expect(try await board.numberOfItems == 5)
        let (strings, urls, images) = (
            try await board.hasStrings, try await board.hasURLs, try await board.hasImages
        )
        #expect(strings && urls && images)
    }

    @Test func absentContentIsNotRead() async throws {
        hold([.data([1])])
        #expect(try await board.string == nil)
        #expect(try await board.strings == [])
        #expect(try await board.url == nil)
        #expect(try await board.urls == [])
        #expect(try await board.image == nil)
        #expect(try await board.images == [])
        #expect(try await board.data(forPasteboardType: .png) == nil)
        let (strings, urls, images) = (
            try await board.hasStrings, try await board.hasURLs, try await board.hasImages
        )
        #expect(!strings && !urls && !images)
        #expect(asked.elements.isEmpty)
        hold([])
        #expect(try await board.string == nil)
        #expect(asked.elements.isEmpty)
    }

    @Test func onlyRequestedContentOfOneVersionIsRead() async throws {
        hold(try several(), changeCount: 9)
        _ = try await board.string
        _ = try await board.items
        #expect(asked.elements.map { $0.types.map(Set.init) } == [["text/plain;charset=utf-8", "text/plain"], nil])
        #expect(asked.elements.map(\.changeCount) == [9, nil] && asked.elements.allSatisfy { $0.fd == true })
    }

    @Test func anOvertakenReadUsesTheNextVersion() async throws {
        hold([.string("new")], changeCount: 8)
        var lists = 0
        pair.broker.versions = {
            lists += 1
            return lists < 3 ? [(UInt64(5 + lists), [["text/plain"]])] : [(8, [["text/plain;charset=utf-8"]])]
        }
        #expect(try await board.string == "new")
        #expect(asked.elements.map(\.changeCount) == [6, 7, 8])
    }

    @Test func aBrokenPromiseIsReportedImmediately() async throws {
        pair.broker.versions = { [(5, [["image/png"]])] }
        let asked = asked
        pair.broker.read = { options in
            asked.add(options)
            throw IPCError(.noSuchItem, "the writer has left")
        }
        await #expect(throws: IPCError(.noSuchItem, "the writer has left")) { try await board.image }
        #expect(asked.elements.count == 1)
    }

    @Test func aPasteboardThatKeepsChangingIsAnError() async throws {
        hold([.string("new")], changeCount: 1_000)
        var count: UInt64 = 0
        pair.broker.versions = {
            count += 1
            return [(count, [["text/plain"]])]
        }
        let error = await #expect(throws: IPCError.self) { try await board.string }
        #expect(error?.code == .changeCountMismatch)
    }

    @Test func itemsKeepTheirPositionsWhenTypesAreSelected() async throws {
        hold(try several())
        let version = try await board.version(types: [.jpeg])
        #expect(version.items.map { $0.types.map(\.text) } == [[], [], [], ["image/jpeg"], []])
        #expect(try await board.data(forPasteboardType: .png) == [1, 2])
        #expect(try await board.data(forPasteboardType: .png, inItemSet: nil) == [[1, 2], nil, nil, [4], nil])
        #expect(try await board.data(forPasteboardType: .png, inItemSet: [3, 1]) == [[4], nil])
        let error = await #expect(throws: IPCError.self) {
            try await board.data(forPasteboardType: .png, inItemSet: [5])
        }
        #expect(error?.code == .noSuchItem)
    }

    @Test func itemSetsAreComputedFromTheTypesAlone() async throws {
        hold(try several())
        #expect(try await board.itemSet(withPasteboardTypes: [.png]) == [0, 3])
        #expect(try await board.itemSet(withPasteboardTypes: [.url, .jpeg]) == [2, 3, 4])
        #expect(try await board.itemSet(withPasteboardTypes: []) == [])
        #expect(try await board.types(forItemSet: [4, 0]) == [[.url], [.png]])
        #expect(try await board.types(forItemSet: nil).count == 5)
        let contains = [
            try await board.contains(pasteboardTypes: [.png]), try await board.contains(pasteboardTypes: [.url]),
            try await board.contains(pasteboardTypes: [.png], inItemSet: [0, 3]),
            try await board.contains(pasteboardTypes: [.png], inItemSet: nil),
            try await board.contains(pasteboardTypes: [.png], inItemSet: []),
        ]
        #expect(contains == [true, false, true, false, false])
        for wrong in [-1, 5] {
            let error = await #expect(throws: IPCError.self) { try await board.types(forItemSet: [wrong]) }
            #expect(error?.code == .noSuchItem)
        }
        #expect(asked.elements.isEmpty)
    }

    @Test func writersMustGiveEachItemARepresentation() async throws {
        let error = await #expect(throws: IPCError.self) { try await board.setItems([.withoutContent]) }
        #expect(error?.code == .invalidArguments && pair.broker.written.isEmpty)
    }
}
