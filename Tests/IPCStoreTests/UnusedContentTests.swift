import IPCModel
import Testing

@testable import IPCStore

/// Contents that no version uses are deleted, and pasteboards are copied, a few rows at a time (I15).
@Suite(.serialized) struct UnusedContentTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// Sets versions of 256 KiB each, all of which the pasteboard keeps.
    private func fill(_ store: Store, versions: Int = 20, persistent: Bool) async throws {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            try transaction.setHistoryLimit(100, of: board)
        }
        for number in 0..<versions {
            let item = PasteboardItem.data([UInt8](repeating: UInt8(number), count: 256 << 10))
            try await store.commit { _ = try $0.setItems([item], on: board) }
        }
    }

    /// The number of rows and of listed contents in both databases.
    private func rows(_ store: Store) async throws -> [UInt64] {
        try await store.commit { try Self.rows($0) }
    }

    private static func rows(_ transaction: borrowing StoreTransaction) throws -> [UInt64] {
        let tables: [StaticString] = ["SELECT count(*) FROM @.representation", "SELECT count(*) FROM @.unused_content"]
        return try Area.allCases.flatMap { area in
            try tables.map { try transaction.session.transaction.statement($0, area).first { $0.number(0) } ?? 0 }
        }
    }

    /// The first byte of each version that is not empty, the oldest version first.
    private func versions(_ store: Store) async throws -> [UInt8] {
        try await store.commit { transaction in
            try transaction.versions(of: board).map(\.changeCount).sorted().compactMap { count in
                try transaction.items(of: board, ReadOptions(changeCount: count)).items.first?.firstBytes.first
            }
        }
    }

    @Test(arguments: [true, false])
    func `I15: an operation deletes a portion, and others delete the rest`(persistent: Bool) async throws {
        let store = try place.open()
        let other = persistent ? 2 : 0
        try await fill(store, persistent: persistent)
        let left = try await store.commit { transaction in
            try transaction.removePasteboard(board)
            return try Self.rows(transaction)
        }
        #expect(left[2 - other] == 20 - 4 && left[3 - other] == 16)
        await store.deletions()
        #expect(try await rows(store) == [0, 0, 0, 0])
        try await store.close()
    }

    @Test func `I15: a lower history limit deletes a portion at a time`() async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        let left = try await store.commit { transaction in
            try transaction.setHistoryLimit(0, of: board)
            return try Self.rows(transaction)
        }
        #expect(left.contains(16))
        await store.deletions()
        #expect(try await rows(store).max() == 1)
        #expect(try await versions(store) == [19])
        try await store.close()
    }

    @Test func `after a crash, the next start deletes what is left`() async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        let left = try await store.commit { transaction in
            try transaction.removePasteboard(board)
            // The deletion has not begun when the image is made, because it waits for this operation.
            return try Self.rows(transaction)
        }
        #expect(left.contains(16))
        let image = try place.crashImage()
        try await store.close()
        let next = try Store.open(image)
        await next.deletions()
        #expect(try await rows(next) == [0, 0, 0, 0])
        try await next.close()
    }

    @Test func `a failed removal leaves everything in place`() async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        let before = try await rows(store)
        await #expect(throws: PasteboardError.self) {
            try await store.commit { transaction in
                try transaction.removePasteboard(board)
                try transaction.removePasteboard(.general)
            }
        }
        await store.deletions()
        #expect(try await rows(store) == before)
        #expect(try await versions(store) == Array(0..<20))
        try await store.close()
    }

    @Test func `I15: a pasteboard is copied a portion at a time before it moves`() async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        for persistent in [false, true, false] {
            var copied = CopiedContents()
            var steps = 0
            var hasMore = true
            while hasMore {
                let before = copied
                (copied, hasMore) = try await store.commit { transaction in
                    var copied = before
                    let hasMore = try transaction.copyAhead(of: board, persistent: persistent, &copied)
                    return (copied, hasMore)
                }
                steps += 1
            }
            #expect(steps == 5 && copied.contents.count == 20)
            try await store.setPersistent(persistent, of: board)
            let all = copied
            try await store.commit { $0.endCopying(all) }
            await store.deletions()
            #expect(try await rows(store) == (persistent ? [20, 0, 0, 0] : [0, 0, 20, 0]))
            #expect(try await versions(store) == Array(0..<20))
        }
        try await store.close()
    }

    @Test func `copies for a move that never comes are deleted, also after a crash`() async throws {
        let store = try place.open()
        try await fill(store, persistent: false)
        let copied = try await store.commit { transaction in
            var copied = CopiedContents()
            _ = try transaction.copyAhead(of: board, persistent: true, &copied)
            return copied
        }
        let image = try place.crashImage()
        let next = try Store.open(image)
        await next.deletions()
        #expect(try await rows(next) == [0, 0, 0, 0])
        try await next.close()
        // The copies are not deleted while the copying goes on.
        await store.deletions()
        #expect(try await rows(store) == [4, 4, 20, 0])
        try await store.commit { $0.endCopying(copied) }
        await store.deletions()
        #expect(try await rows(store) == [0, 0, 20, 0])
        try await store.close()
    }

    @Test func `a pasteboard that moves there and back keeps its content while the deletion waits`() async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        try await store.commit { transaction in
            // In one operation, so that no deletion runs in between.
            try transaction.setPersistent(false, of: board)
            try transaction.setPersistent(true, of: board)
        }
        await store.deletions()
        #expect(try await rows(store) == [20, 0, 0, 0])
        #expect(try await versions(store) == Array(0..<20))
        try await store.close()
    }

    /// A promise that is fulfilled after its row was copied, or while its old row waits for its deletion, stays fulfilled.
    @Test(arguments: [true, false])
    func `I1: a move does not undo a fulfilled promise`(isCopiedAhead: Bool) async throws {
        let store = try place.open()
        try await fill(store, persistent: true)
        let (type, writer) = (ContentType.html, ":1.1")
        let count = try await store.commit { transaction in
            var options = WriteOptions()
            (options.promises, options.writer) = ([[type]], writer)
            return try transaction.setItems([.string("here")], on: board, options)
        }
        let promise = Promise(item: 0, type: type)
        if isCopiedAhead {
            let copied = try await store.commit { transaction in
                var copied = CopiedContents()
                while try transaction.copyAhead(of: board, persistent: false, &copied) {}
                return copied
            }
            try await store.commit { transaction in
                #expect(try transaction.fulfil(promise, of: board, changeCount: count, with: .text("<p>")))
                try transaction.setPersistent(false, of: board)
                transaction.endCopying(copied)
            }
        } else {
            // In one operation, so that no deletion runs in between.
            try await store.commit { transaction in
                try transaction.setPersistent(false, of: board)
                #expect(try transaction.fulfil(promise, of: board, changeCount: count, with: .text("<p>")))
                try transaction.setPersistent(true, of: board)
            }
        }
        await store.deletions()
        let items = try await store.commit { try $0.items(of: board).items }
        #expect(items.first?[type]?.value.string == "<p>")
        try await store.close()
    }

    @Test func `I5: a row that lists a used content deletes nothing`() async throws {
        let store = try place.open()
        try await fill(store, versions: 2, persistent: true)
        try await store.close()
        let database = try Database(place.database)
        let counts = try database.texts("SELECT CAST(content AS TEXT) FROM version WHERE content <> 0").compactMap(
            UInt64.init)
        for count in counts {
            let columns: [SQLValue] = [.number(count)]
            try PreparedStatement("INSERT INTO unused_content VALUES (?, ?)", on: database).run(
                columns + [Checksum.of(columns, in: .unusedContent)])
        }
        try database.close()
        let next = try place.open()
        await next.deletions()
        #expect(counts.count == 2)
        #expect(try await versions(next) == [0, 1])
        #expect(try await rows(next)[1] == 0)
        try await next.close()
    }
}
