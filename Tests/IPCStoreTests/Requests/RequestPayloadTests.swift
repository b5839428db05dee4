import Foundation
import IPCModel
import Testing

@testable import IPCStore

/// A request has its own snapshot, which no change of a pasteboard affects.
@Suite(.serialized) struct RequestPayloadTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let small = [PasteboardItem.string("with it")]
    let large = ValueFile.pattern(100_000)

    init() throws { place = try TestPlace() }

    /// Possible events on a pasteboard between acceptance and delivery.
    enum Event: CaseIterable {
        case clear, overwrite, remove, take, takeWithID, history, toMemory, toMemoryAndBack, add, expiryOfAnother

        fileprivate func happen(to board: PasteboardName, in store: Store, _ place: TestPlace) async throws {
            switch self {
            case .clear: _ = try await store.commit { try $0.clear(board) }
            case .overwrite: _ = try await store.put("other", on: board)
            case .remove: try await store.commit { _ = try $0.removePasteboard(board) }
            case .take: _ = try await store.commit { try $0.takeItems(of: board).changeCount }
            case .takeWithID:
                _ = try await store.commit { try $0.takeItems(of: board, ReadOptions(id: .random())).changeCount }
                place.pass(3_600_000)
                _ = try await store.commit { try $0.expire() }
            case .history: try await store.commit { _ = try $0.clear(board) }
            case .toMemory: try await store.setPersistent(false, of: board)
            case .toMemoryAndBack:
                for isPersistent in [false, true, false, true] {
                    try await store.setPersistent(isPersistent, of: board)
                }
            case .add: _ = try await store.commit { try $0.addItems([.string("more")], to: board) }
            case .expiryOfAnother:
                let options = WriteOptions(timeToLive: 5)
                _ = try await store.commit { try $0.setItems([.string("short")], on: board, options) }
                place.pass(10)
                _ = try await store.commit { try $0.expire() }
            }
        }
    }

    @Test(arguments: Event.allCases)
    func payloadSurvives(event: Event) async throws {
        var store = try place.open()
        let items = [small[0], ValueFile.sealed.item(large)]
        let count = try await store.put(items, on: board, persistent: true)
        try await store.commit { try $0.setHistoryLimit(0, of: board) }
        let request = place.request(board: board, changeCount: count)
        try await store.accept(request, .version(of: board, changeCount: count))
        // The request and the pasteboard share one blob.
        #expect(try await store.blobs().count == 1)
        try await event.happen(to: board, in: store, place)
        // After most events, the pasteboard itself no longer has the version.
        if event != .toMemory, event != .toMemoryAndBack {
            await #expect(throws: PasteboardError.self) {
                try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
            }
        }
        for _ in 0..<2 {
            let handed = try #require(try await store.attempt(request.id))
            #expect(handed[0] == small[0])
            #expect(try handed[1].firstBytes == large)
            _ = try await store.swept()
            try await store.close()
            store = try place.open()
        }
        try await store.end(request.id, .handled)
        // Once the request has ended, only content that the pasteboard still keeps is left.
        let isKept = event == .toMemoryAndBack || event == .add
        #expect(try await store.blobs().count == (isKept ? 1 : 0), "\(event)")
        try await store.close()
        store = try place.open()
        #expect(try await store.swept().removed == 0)
        try await store.close()
    }

    @Test func pasteboardKeepsTheVersionAfterTheRequestEnds() async throws {
        let store = try place.open()
        let count = try await store.put([ValueFile.sealed.item(large)], on: board, persistent: true)
        let requests = (0..<3).map { _ in place.request() }
        for request in requests { try await store.accept(request, .version(of: board, changeCount: count)) }
        for request in requests {
            try await store.end(request.id, .handled)
            let items = try await store.commit { try $0.items(of: board).items }
            #expect(try items[0].firstBytes == large)
        }
        // The control: no request uses the content any more, so it is removed with the pasteboard.
        try await store.commit { _ = try $0.removePasteboard(board) }
        #expect(try await store.blobs().isEmpty)
        try await store.close()
    }

    @Test func expiredVersionStaysAvailableToTheRequest() async throws {
        var store = try place.open()
        let count = try await store.put([ValueFile.sealed.item(large)], on: board, persistent: true)
        _ = try await store.commit {
            try $0.addItems(small, to: board, WriteOptions(timeToLive: 1_000))
        }
        let second = try await store.commit { try $0.pasteboard(board)?.changeCount } ?? 0
        let request = place.request(board: board, changeCount: second)
        try await store.accept(request, .version(of: board, changeCount: second))
        #expect(second > count)
        #expect(try await store.blobs().count == 1)
        place.pass(1_001)
        _ = try await store.commit { try $0.expire() }
        #expect(try await store.commit { try $0.items(of: board).items }.isEmpty)
        try await store.commit { _ = try $0.removePasteboard(board) }
        try await store.close()
        store = try place.open()
        let handed = try #require(try await store.attempt(request.id))
        #expect(try handed[0].firstBytes == large && handed[1] == small[0])
        try await store.end(request.id, .handled)
        #expect(try await store.blobs().isEmpty)
        #expect(try await store.commit { $0.usage() }.total == Usage(pasteboards: 1))
        try await store.close()
    }

    @Test(arguments: [true, false])
    func versionInMemoryIsCopiedToTheDisk_I1(isLarge: Bool) async throws {
        var store = try place.open()
        let items = isLarge ? [ValueFile.sealed.item(large), small[0]] : small
        let count = try await store.put(items, on: board, persistent: false)
        let request = place.request(board: board, changeCount: count)
        if isLarge {
            await #expect(throws: IntakeOutdated.self) {
                try await store.commit {
                    try $0.requests.begin(request, payload: .version(of: board, changeCount: count))
                }
            }
        }
        try await store.accept(request, .version(of: board, changeCount: count))
        #expect(try await store.commit { try $0.items(of: board).items }.count == items.count)
        let image = try place.crashImage()
        try await store.close()
        for configuration in [image, place.configuration()] {
            store = try Store.open(configuration)
            #expect(try await store.commit { try $0.pasteboard(board) } == nil)
            let handed = try #require(try await store.attempt(request.id))
            #expect(try handed[0].firstBytes == (isLarge ? large : Array("with it".utf8)))
            try await store.end(request.id, .handled)
            #expect(try await store.blobs().isEmpty)
            try await store.close()
        }
    }

    @Test(arguments: [64 << 10, 64 << 10 + 1])
    func `I15: a version in memory above 64 KiB is not copied within the operation that queues it`(bytes: Int)
        async throws
    {
        let store = try place.open()
        let type = try ContentType("a/b")
        let value = Representation(type: type, value: .bytes([UInt8](repeating: 7, count: bytes)))
        let count = try await store.put([try PasteboardItem([value])], on: board, persistent: false)
        let request = place.request(board: board, changeCount: count)
        func begin() async throws {
            try await store.commit {
                try $0.requests.checkIsSmall(versionOf: board, count)
                _ = try $0.requests.begin(request, payload: .version(of: board, changeCount: count))
            }
        }
        if bytes > 64 << 10 {
            await #expect(throws: IntakeOutdated.self) { try await begin() }
        } else {
            try await begin()
        }
        try await store.close()
    }

    @Test(arguments: [100, 64 << 10 + 1])
    func `a dropped request loses its payload, however large it is`(bytes: Int) async throws {
        let store = try place.open()
        let value = Representation(type: try ContentType("a/b"), value: .bytes([UInt8](repeating: 7, count: bytes)))
        let request = place.request()
        try await store.accept(request, .items([try PasteboardItem([value])]))
        await #expect(throws: RequestError.notEnded(request.id)) { try await store.drop(request.id) }
        try await store.end(request.id, .declined)
        #expect(try await store.commit { $0.usage() }.total.bytes == UInt64(bytes))
        let isSmall = bytes <= 64 << 10
        #expect(try await store.commit { try $0.requests.dropIfSmall(request.id) } == isSmall)
        if !isSmall { try await store.drop(request.id) }
        #expect(try await store.commit { $0.usage() }.total.bytes == 0)
        await #expect(throws: RequestError.noSuchRequest(request.id)) { try await store.drop(request.id) }
        try await store.close()
    }

    @Test(arguments: [true, false])
    func itemsAreSetAndBoundAtomically_I2(isPersistent: Bool) async throws {
        let store = try place.open()
        let items = [ValueFile.sealed.item(large)]
        let request = place.request(board: board)
        let copy = isPersistent ? nil : try await store.intake.take(items, persistent: true, sensitive: false)
        try await store.withIntake(of: items, on: board, persistent: isPersistent) { items in
            try await store.commit { transaction in
                _ = try transaction.createPasteboard(board, persistent: isPersistent)
                let count = try transaction.setItems(items, on: board)
                let payload = copy.map { RequestPayload.items($0) } ?? .version(of: board, changeCount: count)
                _ = try transaction.requests.begin(request, payload: payload)
            }
        }
        #expect(try await store.blobs().count == 1)
        try await store.commit { _ = try $0.removePasteboard(board) }
        let handed = try #require(try await store.attempt(request.id))
        #expect(try handed[0].firstBytes == large)
        try await store.end(request.id, .handled)
        #expect(try await store.blobs().isEmpty)
        try await store.close()
    }

    @Test func sensitiveAndReadOnceContentIsNotKept_I14() async throws {
        let store = try place.open()
        let hint = try PasteboardItem([
            Representation(type: .utf8PlainText, value: .text("hunter2")),
            Representation(type: try ContentType("x-kde-passwordManagerHint"), value: .text("secret")),
        ])
        for isPersistent in [true, false] {
            let name = PasteboardName.named("board \(isPersistent)")
            let options = [WriteOptions(isSensitive: true), WriteOptions(isOnce: true)]
            for option in options {
                let count = try await store.commit { transaction in
                    _ = try transaction.createPasteboard(name, persistent: isPersistent)
                    return try transaction.setItems([.string("hunter2")], on: name, option)
                }
                await #expect(throws: RequestError.notToBeKept) {
                    try await store.accept(place.request(), .version(of: name, changeCount: count))
                }
                // The rejected request did not consume the content.
                #expect(try await store.commit { try $0.facts(of: name).itemCount } == 1)
            }
        }
        await #expect(throws: RequestError.notToBeKept) { try await store.accept(place.request(), .items([hint])) }
        #expect(try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.isEmpty)
        // The control: a payload that is not secret is accepted.
        try await store.accept(place.request(), .items([.string("no secret")]))
        #expect(try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.count == 1)
        try await store.close()
    }

    @Test func promisesAreFetchedFirst() async throws {
        let store = try place.open()
        for isPersistent in [true, false] {
            let name = PasteboardName.named("board \(isPersistent)")
            let options = WriteOptions(promises: [[.html]], writer: ":1.5@bus")
            let count = try await store.commit { transaction in
                _ = try transaction.createPasteboard(name, persistent: isPersistent)
                return try transaction.setItems(small, on: name, options)
            }
            let request = place.request()
            await #expect(throws: UnfulfilledPromises.self) {
                try await store.accept(request, .version(of: name, changeCount: count))
            }
            let promise = Promise(item: 0, type: .html)
            let isDone = try await store.commit {
                try $0.fulfil(promise, of: name, changeCount: count, with: .text("<b>"))
            }
            #expect(isDone)
            try await store.accept(request, .version(of: name, changeCount: count))
            #expect(try await store.attempt(request.id)?.first?.types == [.utf8PlainText, .html])
        }
        try await store.close()
    }

    @Test func emptyPayloadDiffersFromNoPayload() async throws {
        let store = try place.open()
        let count = try await store.put("x", on: board)
        let empty = try await store.commit { try $0.clear(board) }
        let requests = (0..<3).map { _ in place.request() }
        try await store.accept(requests[0], .items([]))
        try await store.accept(requests[1], .version(of: board, changeCount: empty))
        try await store.accept(requests[2], .none)
        #expect(empty > count)
        #expect(try await store.attempt(requests[0].id) == [])
        #expect(try await store.attempt(requests[1].id) == [])
        #expect(try await store.attempt(requests[2].id) == nil)
        try await store.close()
    }

    @Test func payloadIsChargedToItsSenderAndLimited() async throws {
        let store = try place.open { ($0.limits.storedBytesPerSource, $0.limits.itemsPerVersion) = (10, 3) }
        let first = place.request()
        try await store.accept(first, .items(small))
        #expect(try await store.commit { $0.usage() }.bySource.map(\.usage.bytes) == [0, 7])
        let refused = place.request()
        await #expect(
            throws: LimitExceeded(limit: "stored-bytes-per-source", use: 7, request: 7, allowed: 10)
        ) { try await store.accept(refused, .items(small)) }
        await #expect(throws: LimitExceeded.self) {
            try await store.accept(refused, .items(Array(repeating: .string(""), count: 4)))
        }
        // Limits never prevent a request from ending; only its payload is not kept.
        _ = try await store.commit { try $0.requests.begin(refused) }
        let ended = try await store.end(refused.id, .failed, payload: .items(small))
        #expect(ended.outcome == .failed && ended.payload == nil)
        #expect(try await store.commit { $0.usage() }.bySource.map(\.usage.bytes) == [0, 7])
        try await store.end(first.id, .handled)
        let last = place.request()
        try await store.accept(last, .items(small))
        #expect(try await store.attempt(last.id) == small)
        try await store.close()
    }
}
