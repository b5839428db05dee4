import IPCModel
import Testing

@testable import IPCStore

/// A row with a valid checksum is damaged too if it has a value that the store never writes (I5). Anyone can compute a
/// checksum, and the broker shows or delivers what it reads.
@Suite(.serialized) struct ForgedValueTests {
    let place: TestPlace
    let hit = PasteboardName.named("demo.Hit")
    let safe = PasteboardName.named("demo.Safe")

    init() throws { place = try TestPlace() }

    private static let source = Source(application: "demo.Writer", strength: .owned)

    /// A value for a column of all rows of a table.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let table: CraftedTable
        let column: Int
        let value: SQLValue

        var testDescription: String { "\(table.testDescription).\(column) = \(value)" }

        static func list(_ table: String, _ values: [(Int, SQLValue)]) -> [Forgery] {
            values.map { Forgery(table: .named(table), column: $0.0, value: $0.1) }
        }
    }

    /// Fills a store and changes its rows, then adds a request and a pasteboard that nobody changes.
    private func forge(_ forgery: Forgery, _ request: RequestRecord) async throws -> (store: Store, safe: RequestID) {
        var store = try place.open()
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(hit, persistent: true, source: Self.source)
            _ = try transaction.setItems([.string("first")], on: hit, WriteOptions(source: Self.source))
        }
        try await store.accept(request, .items([.string("payload")]), trace: [place.step(.queued, "reason")])
        #expect(
            try await store.commit {
                try forgery.table.craft(forgery.column, forgery.value, $0.session.transaction)
            })
        let other = place.request()
        try await store.accept(other, .items([.string("safe")]))
        try await store.put("safe", on: safe)
        try await store.close()
        store = try place.open()
        return (store, other.id)
    }

    private func unended(_ store: Store) async throws -> [RequestID] {
        try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.map(\.id)
    }

    private static let requests = Forgery.list(
        "open_request",
        [
            (3, .text("done")), (4, .text("done")), (5, .integer(0)), (6, .text("")), (6, .text("\r\n\u{1B}[2J")),
            (6, .text("x")), (10, .text("")), (10, .text("-rf")), (10, .text("one")), (11, .text("")),
            (19, .text("")), (19, .text("../../etc/passwd")), (26, .text("")), (26, .text(" ")),
            (26, .text("../../etc/passwd")), (26, .text("demo:\u{1B}[2J")), (28, .bytes([0])),
            (28, .bytes([UInt8](repeating: 255, count: 16))), (29, .bytes([])), (29, .bytes([1])),
        ])

    @Test(arguments: requests)
    func `I5: a request with a value that the store never writes is damaged`(forgery: Forgery) async throws {
        let request = place.request()
        let (store, safe) = try await forge(forgery, request)
        #expect(try await store.requests(after: nil, limit: 9) { _ in true }.map(\.id) == [safe])
        #expect(try await unended(store) == [safe])
        let error = StoreError.damagedRecord("the request \(request.id.text)")
        await #expect(throws: error) { try await store.commit { try $0.requests.record(request.id) } }
        await #expect(throws: error) { try await store.attempt(request.id) }
        #expect(try await store.attempt(safe) == [.string("safe")])
        #expect(try await store.text(of: hit) == "first")
        try await store.close()
    }

    private static let possibleRequests = Forgery.list(
        "open_request",
        [
            (6, .text("demo.Other")), (10, .text("demo.Other")), (11, .text("demo.Board")), (11, .null),
            (19, .text("0123456789abcdef")), (19, .null), (26, .text("Demo+x:")), (26, .text("demo:ä é/../%")),
            (28, .bytes([])),
        ])

    @Test(arguments: possibleRequests)
    func `a request with any value that a caller can state is read`(forgery: Forgery) async throws {
        let request = place.request()
        let (store, safe) = try await forge(forgery, request)
        #expect(try await unended(store) == [request.id, safe])
        #expect(try await store.attempt(request.id) == [.string("payload")])
        try await store.close()
    }

    private static let versions = Forgery.list(
        "version",
        [(10, .integer(0)), (11, .text("x")), (11, .text("\r\n\u{1B}[2J")), (11, .text("snap.0ad"))])

    @Test(arguments: versions)
    func `I5: a version whose source no program can have is damaged`(forgery: Forgery) async throws {
        let (store, request) = try await forge(forgery, place.request())
        let count = try #require(try await store.commit { try $0.pasteboard(hit)?.changeCount })
        await #expect(throws: PasteboardError.damaged(hit, count)) { try await store.text(of: hit) }
        #expect(try await store.text(of: safe) == "safe")
        #expect(try await store.attempt(request) == [.string("safe")])
        try await store.put("replaced", on: hit)
        #expect(try await store.text(of: hit) == "replaced")
        try await store.close()
    }

    @Test(arguments: ["x", "\r\n\u{1B}[2J", "snap.", "snap.a.9"])
    func `I5: a pasteboard whose source no program can have is damaged`(id: String) async throws {
        let (store, _) = try await forge(Forgery.list("pasteboard", [(6, .text(id))])[0], place.request())
        await #expect(throws: PasteboardError.damaged(hit, 0)) { try await store.text(of: hit) }
        #expect(try await store.text(of: safe) == "safe")
        try await store.close()
    }

    @Test(arguments: ["", "demo.Other", "snap.0ad", "snap.a+b"])
    func `a pasteboard with any source that a program can have is read`(id: String) async throws {
        let (store, _) = try await forge(Forgery.list("pasteboard", [(6, .text(id))])[0], place.request())
        #expect(try await store.text(of: hit) == "first")
        try await store.close()
    }

    @Test func `I5: usage of a source that no program can have is summed again`() async throws {
        var store = try place.open()
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(hit, persistent: true, source: Self.source)
            _ = try transaction.setItems([.string("first")], on: hit, WriteOptions(source: Self.source))
        }
        try await store.close()
        store = try place.open()
        let before = try await store.commit { $0.usage() }
        let table = CraftedTable.named("usage")
        // All rows get one key, so SQLite keeps the last of them.
        #expect(try await store.commit { try table.craft(0, .text("\u{1B}[2J"), $0.session.transaction) })
        try await store.close()
        store = try place.open()
        let after = try await store.commit { $0.usage() }
        #expect(after.bySource.map(\.source) == before.bySource.map(\.source) && after.total == before.total)
        try await store.close()
    }
}
