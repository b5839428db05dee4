import Foundation
import IPCModel
import Testing

@testable import IPCStore

/// The earlier versions of `general`, which make room for other content in memory.
@Suite(.serialized) struct GeneralHistoryTests {
    let place: TestPlace
    let other = PasteboardName.named("other")

    init() throws { place = try TestPlace() }

    private func open(_ change: (inout Limits) -> Void = { _ in }) throws -> Store {
        var limits = Limits()
        change(&limits)
        return try place.open { $0.limits = limits }
    }

    /// Texts of this many bytes, which begin with their numbers.
    private func write(_ numbers: Range<Int>, _ bytes: Int, on name: PasteboardName, in store: Store) async throws {
        for number in numbers {
            let text = "\(number) ".padding(toLength: bytes, withPad: ".", startingAt: 0)
            try await store.put(text, on: name, persistent: false)
        }
    }

    /// The numbers of the texts on a pasteboard, oldest first.
    private func numbers(on name: PasteboardName, in store: Store) async throws -> [Int] {
        try await store.commit { transaction in
            try (transaction.pasteboard(name)?.versions ?? []).compactMap { count in
                let item = try transaction.items(of: name, ReadOptions(changeCount: count)).items.first
                return (item?.string?.prefix { $0 != " " }).flatMap { Int($0) }
            }
        }
    }

    private func memory(_ store: Store) async throws -> UInt64 { try await store.commit { $0.usage().memoryBytes } }

    @Test func `general keeps 20 earlier versions, and other pasteboards keep one`() async throws {
        let store = try open()
        for name in [PasteboardName.general, other] {
            try await write(0..<30, 10, on: name, in: store)
        }
        #expect(try await numbers(on: .general, in: store) == Array(9..<30))
        #expect(try await numbers(on: other, in: store) == [28, 29])
        try await store.commit { try $0.setHistoryLimit(2, of: .general) }
        #expect(try await numbers(on: .general, in: store) == [27, 28, 29])
        try await store.close()
    }

    @Test func `general-history sets the number, and 0 turns the history off`() async throws {
        let store = try open { $0.generalHistory = 0 }
        try await write(0..<3, 10, on: .general, in: store)
        #expect(try await numbers(on: .general, in: store) == [2])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func `I14: secrets are never among the earlier versions`(isMarked: Bool) async throws {
        let store = try open()
        try await write(0..<1, 10, on: .general, in: store)
        let hint = Representation(type: try ContentType("x-kde-passwordManagerHint"), value: .text("secret"))
        let secret = Representation(type: .utf8PlainText, value: .text("1 secret"))
        let item = try PasteboardItem(isMarked ? [secret, hint] : [secret])
        try await store.commit { transaction in
            _ = try transaction.setItems([item], on: .general, WriteOptions(isSensitive: !isMarked))
        }
        try await write(2..<3, 10, on: .general, in: store)
        #expect(try await numbers(on: .general, in: store) == [0, 2])
        try await store.close()
    }

    @Test func `a history in memory is never on disk, and ends with the broker`() async throws {
        let store = try open()
        let marker = "0 " + RequestID.random().text
        try await store.put(marker, on: .general)
        try await write(1..<4, 10, on: .general, in: store)
        try await store.close()
        for name in try FileManager.default.subpathsOfDirectory(atPath: place.store) {
            let data = FileManager.default.contents(atPath: place.store + "/" + name) ?? Data()
            #expect(data.range(of: Data(marker.utf8)) == nil, "\(name)")
        }
        let next = try open()
        #expect(try await next.commit { try $0.pasteboard(.general) }?.versions.count == 1)
        try await next.close()
    }

    @Test func `a persistent general keeps what its row says`() async throws {
        let store = try open()
        try await store.commit { try $0.setHistoryLimit(3, of: .general) }
        try await store.setPersistent(true, of: .general)
        try await write(0..<9, 10, on: .general, in: store)
        try await store.close()
        let next = try open()
        #expect(try await numbers(on: .general, in: next) == [5, 6, 7, 8])
        #expect(try await next.commit { try $0.pasteboard(.general) }?.historyLimit == 3)
        try await next.close()
    }

    /// `isEqual`: whether all texts have the same number of bytes, so that most writes reuse rows.
    @Test(arguments: [true, false])
    func `the oldest versions go while more than general-history-bytes are in memory`(isEqual: Bool) async throws {
        let store = try open { $0.generalHistoryBytes = 1_000 }
        for number in 0..<50 {
            try await write(number..<(number + 1), isEqual ? 100 : 90 + number % 20, on: .general, in: store)
            #expect(try await memory(store) <= 1_000)
        }
        #expect(try await numbers(on: .general, in: store).last == 49)
        #expect(try await numbers(on: .general, in: store).count >= 9)
        // As other pasteboards do, general keeps one earlier version even of large content.
        try await write(50..<52, 5_000, on: .general, in: store)
        #expect(try await numbers(on: .general, in: store) == [50, 51])
        try await store.close()
    }

    @Test(arguments: [PasteboardName.general, .named("other")])
    func `earlier versions make room before a write fails`(name: PasteboardName) async throws {
        let store = try open { $0.memoryBytes = 1_000 }
        try await store.commit { _ = try $0.createPasteboard(other, persistent: false) }
        try await write(0..<9, 100, on: .general, in: store)
        try await write(9..<10, 550, on: name, in: store)
        let kept = name == .general ? [5, 6, 7, 8, 9] : [5, 6, 7, 8]
        #expect(try await numbers(on: .general, in: store) == kept)
        #expect(try await memory(store) == 950)
        // The control: a write that cannot fit even without them fails, and they stay.
        for bytes in [name == .general ? 1_001 : 950, 2_000] {
            await #expect(throws: LimitExceeded.self) {
                try await write(10..<11, bytes, on: other, in: store)
            }
            #expect(try await numbers(on: .general, in: store) == kept)
        }
        try await store.close()
    }

    @Test func `a pasteboard on disk makes no room`() async throws {
        let store = try open { ($0.memoryBytes, $0.generalHistoryBytes) = (1_000, 100) }
        try await store.setPersistent(true, of: .general)
        try await write(0..<9, 100, on: .general, in: store)
        try await write(0..<1, 900, on: other, in: store)
        #expect(try await numbers(on: .general, in: store).count == 9)
        await #expect(throws: LimitExceeded.self) { try await write(1..<2, 900, on: other, in: store) }
        try await store.close()
    }

    private struct Refused: Error {}

    @Test func `I2: an operation that fails after it made room changes nothing`() async throws {
        let store = try open { $0.memoryBytes = 1_000 }
        try await write(0..<9, 100, on: .general, in: store)
        await #expect(throws: Refused.self) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.data([UInt8](repeating: 1, count: 800))], on: .general)
                #expect(try transaction.pasteboard(.general)?.versions.count == 3)
                throw Refused()
            }
        }
        #expect(try await numbers(on: .general, in: store) == Array(0..<9))
        #expect(try await memory(store) == 900)
        try await write(9..<10, 100, on: .general, in: store)
        #expect(try await numbers(on: .general, in: store) == Array(0..<10))
        try await store.close()
    }

    /// A delivered promise belongs to two versions, the older of which makes room for it.
    @Test func `a promised value makes room too`() async throws {
        let store = try open { $0.memoryBytes = 1_000 }
        let promising = WriteOptions(promises: [[.png]], writer: ":1.7@0123456789abcdef")
        let counts = try await store.commit { transaction in
            [
                try transaction.setItems([.string("0 ")], on: .general, promising),
                try transaction.addItems([.string("1 ")], to: .general),
            ]
        }
        let promise = Promise(item: 0, type: .png)
        let value = Representation.Value.bytes([UInt8](repeating: 1, count: 700))
        try await store.commit { transaction in
            let isKept = try transaction.fulfil(promise, of: .general, changeCount: counts[1], with: value)
            #expect(isKept)
            #expect(try transaction.pasteboard(.general)?.versions == [counts[1]])
        }
        let content = try await store.commit { try $0.items(of: .general) }
        #expect(content.items.map(\.representations.count) == [2, 1])
        #expect(try await memory(store) == 704)
        try await store.close()
    }
}
