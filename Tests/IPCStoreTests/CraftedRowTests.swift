import IPCModel
import IPCTesting
import Testing

@testable import IPCStore

/// Reads rows with arbitrary content and a valid checksum. Anyone can compute a checksum, so no content may crash the
/// process.
@Suite(.serialized) struct CraftedRowTests {
    let place: TestPlace
    let board = PasteboardName.named("demo.Board")

    init() throws { place = try TestPlace() }

    private static let numbers: [Int64] = TestSize.pick(
        small: [-1, .max, 1 << 32 - 1], full: [-1, 0, .min, .max, 1 << 53, 1 << 53 + 1, 1 << 32 - 1, 1 << 32, 1 << 43])

    @Test(arguments: CraftedTable.all)
    func `numbers that the store never writes abort nothing, in any column`(table: CraftedTable) async throws {
        for column in 0..<Int(table.checksum) {
            for number in Self.numbers { try await check(table, column, .integer(number)) }
        }
    }

    @Test(arguments: CraftedTable.all)
    func `texts and bytes that the store never writes abort nothing, in any column`(table: CraftedTable) async throws {
        for column in 0..<Int(table.checksum) {
            for bytes in [[], [0], [UInt8](repeating: 255, count: 8), [UInt8](repeating: 255, count: 11)] {
                try await check(table, column, .bytes(bytes))
            }
            try await check(table, column, .text("a\u{0} ~/.\u{301}"))
        }
    }

    /// Writes rows to every table, changes one column in all rows of one table, and then uses that store.
    private func check(_ table: CraftedTable, _ column: Int, _ value: SQLValue) async throws {
        let place = try TestPlace()
        let (id, again) = (RequestID.random(), RequestID.random())
        let store = try place.open()
        try await store.commit { try Self.write($0, board, id) }
        let changed = try await store.commit { try table.craft(column, value, $0.session.transaction) }
        try await store.close()
        guard changed else { return }
        // An error is an acceptable result; a crash of this process is not.
        guard let damaged = try? place.open() else { return }
        try? await damaged.commit { try Self.use($0, board, id) }
        for _ in 0..<3 {
            try? await damaged.commit { try Self.change($0, board, id, again) }
            place.pass(90_000_000_000)
            _ = try? await damaged.commit { try $0.expire() }
        }
        try? await damaged.close()
        try? await place.open().close()
    }

    private static let source = Source(application: "demo.Writer", strength: .owned)

    /// Creates a row of every kind.
    static func write(
        _ transaction: borrowing StoreTransaction, _ board: PasteboardName, _ id: RequestID
    ) throws {
        _ = try transaction.createPasteboard(board, persistent: true)
        _ = try transaction.setItems(
            [.string("first")], on: board, WriteOptions(source: source, id: .random(), timeToLive: 60_000))
        _ = try transaction.setItems([.string("second")], on: board, WriteOptions(source: source, id: id))
        _ = try transaction.createPasteboard(.named("demo.Removed"), persistent: true)
        try transaction.removePasteboard(.named("demo.Removed"))
        let (application, scheme) = (ApplicationID("demo.Claimant"), URLScheme("demo.x"))
        try transaction.registrations.saveClaim(StoredClaim(application: application, scheme: scheme, time: 1))
        try transaction.registrations.setDefault(application, for: scheme)
        try transaction.registrations.setPolicy(
            AccessPolicy(allowsOthers: false, allowed: ["demo.A"], refused: []), of: application)
        try transaction.registrations.saveLiveClaims(
            LiveClaims(
                application: application, owner: ":1.1@bus", schemes: [scheme], window: 1, takesDescriptors: true))
        for (request, state) in [(id, RequestRecord.State.queued), (.random(), .waiting)] {
            _ = try transaction.requests.begin(
                record(request, state), payload: .items([.string("payload")]),
                trace: [TraceStep(.queued, at: 1, who: "demo.Writer")])
        }
        let ended = RequestID.random()
        _ = try transaction.requests.begin(record(ended, .waiting))
        _ = try transaction.requests.finish(ended, RequestEnd(.failed, reply: [.string("reply")]))
    }

    private static func record(_ id: RequestID, _ state: RequestRecord.State) -> RequestRecord {
        RequestRecord(
            id: id, arguments: ContentDigest(of: [1]), state: state, source: source, caller: ":1.1@bus 1-2",
            application: "demo.Claimant", url: "demo.x:y", pasteboard: .named("demo.Board"), timeout: 1,
            parent: .random(),
            depth: 1, accepted: 1, expiresAt: 9_000_000_000_000, context: [1])
    }

    private static func use(
        _ transaction: borrowing StoreTransaction, _ board: PasteboardName, _ id: RequestID
    ) throws {
        for pasteboard in try transaction.pasteboards(limit: 10) {
            _ = try? transaction.items(of: pasteboard.name)
            _ = try? transaction.types(of: pasteboard.name)
            _ = try? transaction.facts(of: pasteboard.name)
            _ = try? transaction.versions(of: pasteboard.name)
            _ = try? transaction.representation(0, .utf8PlainText, of: pasteboard.name)
        }
        _ = try? transaction.requests.unended(from: .start, limit: 10).requests
        _ = try? transaction.requests.record(id)
        _ = try? transaction.requests.beginAttempt(id)
        _ = try? transaction.requests.noteSteps(id, [], isCrash: true)
        _ = try? transaction.registrations.claims()
        _ = try? transaction.registrations.defaults()
        _ = try? transaction.registrations.policies()
        _ = try? transaction.registrations.liveClaims()
        _ = transaction.usage()
    }

    private static func change(
        _ transaction: borrowing StoreTransaction, _ board: PasteboardName, _ id: RequestID, _ again: RequestID
    ) throws {
        _ = try? transaction.setItems([.string("new")], on: board, WriteOptions(source: source, id: id))
        _ = try? transaction.setItems([.string("newer")], on: board, WriteOptions(source: source, timeToLive: 1))
        _ = try? transaction.requests.begin(record(again, .queued), payload: .items([.string("new")]))
        _ = try? transaction.requests.finish(id, RequestEnd(.failed))
        _ = try? transaction.requests.retry(id, record(.random(), .queued))
        let application = ApplicationID("demo.Other")
        try? transaction.registrations.saveClaim(
            StoredClaim(application: application, scheme: URLScheme("demo.z"), time: 1))
        try? transaction.registrations.setDefault(application, for: URLScheme("demo.z"))
        try? transaction.registrations.setPolicy(AccessPolicy(allowsOthers: false), of: application)
        _ = try? transaction.removePasteboard(board)
    }
}

/// A table whose rows can be written with any content.
struct CraftedTable: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let checksum: Int32
    private let domain: Checksum.Domain
    private let (read, empty, write): (StaticString, StaticString, StaticString)

    private init(
        _ name: String, _ domain: Checksum.Domain, checksum: Int32, _ read: StaticString, _ empty: StaticString,
        _ write: StaticString
    ) {
        (testDescription, self.domain, self.checksum) = (name, domain, checksum)
        (self.read, self.empty, self.write) = (read, empty, write)
    }

    /// Writes a value to a column of all rows and updates the checksums. Returns `false` if SQLite itself does not
    /// accept the value there.
    func craft(_ column: Int, _ value: SQLValue, _ transaction: GroupTransaction) throws -> Bool {
        var rows: [[SQLValue]] = []
        try transaction.statement(read, .persistent).query { row in
            rows.append(row.values)
        }
        try transaction.statement("PRAGMA ignore_check_constraints = 1", .persistent).run()
        try transaction.write(empty, .persistent, [])
        for var row in rows {
            row[column] = value
            row[Int(checksum)] = Checksum.of(row, first: Int(checksum), in: domain)
            do { try transaction.write(write, .persistent, row) } catch { return false }
        }
        return !rows.isEmpty
    }

    static func named(_ name: String) -> CraftedTable { all.first { $0.testDescription == name }! }

    static let all = [
        CraftedTable(
            "pasteboard", .pasteboard, checksum: 7, "SELECT * FROM @.pasteboard", "DELETE FROM @.pasteboard",
            "INSERT OR REPLACE INTO @.pasteboard VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "version", .version, checksum: 13, "SELECT * FROM @.version", "DELETE FROM @.version",
            "INSERT OR REPLACE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "representation", .representation, checksum: 6, "SELECT * FROM @.representation",
            "DELETE FROM @.representation",
            "INSERT OR REPLACE INTO @.representation VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "removal", .removal, checksum: 2, "SELECT * FROM @.removal", "DELETE FROM @.removal",
            "INSERT OR REPLACE INTO @.removal VALUES (?, ?, ?)"),
        CraftedTable(
            "operation", .operation, checksum: 7, "SELECT * FROM @.operation", "DELETE FROM @.operation",
            "INSERT OR REPLACE INTO @.operation VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "open_request", .openRequest, checksum: 30, "SELECT * FROM @.open_request", "DELETE FROM @.open_request",
            "INSERT OR REPLACE INTO @.open_request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ),
        CraftedTable(
            "scheme_claim", .schemeClaim, checksum: 6, "SELECT * FROM @.scheme_claim", "DELETE FROM @.scheme_claim",
            "INSERT OR REPLACE INTO @.scheme_claim VALUES (?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "scheme_default", .schemeDefault, checksum: 4, "SELECT * FROM @.scheme_default",
            "DELETE FROM @.scheme_default",
            "INSERT OR REPLACE INTO @.scheme_default VALUES (?, ?, ?, ?, ?)"),
        CraftedTable(
            "policy", .policy, checksum: 5, "SELECT * FROM @.policy", "DELETE FROM @.policy",
            "INSERT OR REPLACE INTO @.policy VALUES (?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "live_claim", .liveClaim, checksum: 6, "SELECT * FROM @.live_claim", "DELETE FROM @.live_claim",
            "INSERT OR REPLACE INTO @.live_claim VALUES (?, ?, ?, ?, ?, ?, ?)"),
        CraftedTable(
            "usage", .usage, checksum: 4, "SELECT * FROM @.usage", "DELETE FROM @.usage",
            "INSERT OR REPLACE INTO @.usage VALUES (?, ?, ?, ?, ?)"),
        CraftedTable(
            "reservation", .reservation, checksum: 5, "SELECT * FROM @.reservation", "DELETE FROM @.reservation",
            "INSERT OR REPLACE INTO @.reservation VALUES (?, ?, ?, ?, ?, ?)"),
    ]
}
