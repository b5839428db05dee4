import IPCModel
import IPCStore
import Testing

/// The content of the fixture stores. It puts something into every table.
enum FixtureContent {
    private static let board = PasteboardName.named("demo.Fixture ✂")
    private static let held = PasteboardName.named("demo.Held")
    private static let gone = PasteboardName.named("demo.Gone")

    private static func id(_ letter: Character) throws -> RequestID {
        try RequestID(String(repeating: letter, count: 20))
    }

    private static let source = Source(application: "demo.Writer", strength: .owned)

    static func write(to store: Store) async throws {
        try await store.commit { transaction in
            for name in [board, held, gone] { _ = try transaction.createPasteboard(name, persistent: true) }
            try transaction.setHistoryLimit(5, of: board)
            _ = try transaction.setItems(
                [.string("first")], on: board, WriteOptions(source: source, id: try id("s")))
            _ = try transaction.addItems([.data([0, 1, 2, 255], type: .png)], to: board)
            _ = try transaction.setItems([.string("taken")], on: held)
            _ = try transaction.takeItems(of: held, ReadOptions(id: try id("t")))
            try transaction.removePasteboard(gone)
            try saveRegistrations(transaction)
            try saveRequests(transaction)
        }
    }

    private static func saveRegistrations(_ transaction: borrowing StoreTransaction) throws {
        let application = ApplicationID("demo.Handler")
        let scheme = URLScheme("Demo.Scheme")
        try transaction.registrations.saveClaim(
            StoredClaim(application: application, scheme: scheme, window: 7, takesDescriptors: true, time: 42))
        try transaction.registrations.setDefault(application, for: scheme)
    }

    private static func saveRequests(_ transaction: borrowing StoreTransaction) throws {
        for letter in ["e", "w"] as [Character] {
            _ = try transaction.requests.begin(
                RequestRecord(
                    id: try id(letter), arguments: ContentDigest(of: [1, 2, 3]), source: source,
                    application: "demo.Handler", url: "demo:x", pasteboard: board, changeCount: 3,
                    accepted: transaction.now, context: [9, 9]))
        }
        _ = try transaction.requests.finish(try id("e"), RequestEnd(.handled, reply: [.string("done")]))
        var queued = RequestRecord(
            id: try id("q"), arguments: ContentDigest(of: [4]), state: .queued, source: source, caller: ":1.7@bus",
            application: "demo.Handler", url: "demo:q", timeout: 600_000, parent: try id("e"), depth: 1,
            accepted: transaction.now, expiresAt: transaction.now + 1_000)
        queued.crashes = 1
        _ = try transaction.requests.begin(queued, payload: .items([.string("with it")]), trace: steps(.queued))
        _ = try transaction.requests.beginAttempt(queued.id, trace: steps(.delivered))
        let policy = AccessPolicy(allowsOthers: false, allowed: ["demo.Writer"], refused: ["demo.A", "demo.B"])
        try transaction.registrations.setPolicy(policy, of: ApplicationID("demo.Handler"))
        try transaction.registrations.saveLiveClaims(try live())
    }

    private static func live() throws -> LiveClaims {
        LiveClaims(
            application: ApplicationID("demo.Handler"), owner: ":1.9@bus",
            schemes: [URLScheme("Handler.demo"), URLScheme("other.demo")], window: 3, takesDescriptors: true)
    }

    private static func steps(_ kind: TraceStep.Kind) -> [TraceStep] {
        [TraceStep(kind, at: 42, attempt: 1, who: "demo.Handler", size: 7, detail: "a word")]
    }

    private static func expectRequests(_ transaction: borrowing StoreTransaction) throws {
        let ended = try #require(try transaction.requests.record(try id("e")))
        #expect(ended.outcome == .handled && ended.reply == [.string("done")] && ended.context == [9, 9])
        #expect(
            try transaction.requests.unended(from: .start, limit: 10).requests.map(\.id) == [try id("w"), try id("q")])
        let attempt = try transaction.requests.beginAttempt(try id("q"), trace: steps(.delivered))
        #expect(attempt.items == [.string("with it")] && attempt.record.payload == .init(items: 1, bytes: 7))
        #expect(attempt.record.attempts == 2 && attempt.record.crashes == 1 && attempt.record.timeout == 600_000)
        #expect(attempt.record.parent == ended.id && attempt.record.depth == 1 && attempt.record.caller == ":1.7@bus")
        #expect(attempt.record.trace == steps(.queued) + steps(.delivered) + steps(.delivered))
        let policy = try #require(try transaction.registrations.policies().policies[ApplicationID("demo.Handler")])
        #expect(!policy.allowsOthers && policy.allowed == ["demo.Writer"] && policy.refused == ["demo.A", "demo.B"])
        #expect(try transaction.registrations.liveClaims() == [live()])
    }

    static func expect(in store: Store) async throws {
        try await store.commit { transaction in
            let content = try transaction.items(of: board)
            #expect(content.items == [.string("first"), .data([0, 1, 2, 255], type: .png)])
            let state = try #require(try transaction.pasteboard(board))
            #expect(state.historyLimit == 5 && state.isPersistent && state.versions.count == 3)
            let first = try transaction.items(of: board, ReadOptions(changeCount: state.versions[1]))
            #expect(first.items == [.string("first")] && first.facts.source == source)
            #expect(try transaction.items(of: held).items.isEmpty)
            #expect(try transaction.changes(since: 1).changed.contains { $0.name == gone && $0.changeCount == 0 })
            let claims = try transaction.registrations.claims()
            #expect(claims.claims.map(\.scheme.spelling) == ["Demo.Scheme"] && claims.claims[0].window == 7)
            #expect(try transaction.registrations.defaults().defaults.map(\.application.text) == ["demo.Handler"])
            try expectRequests(transaction)
        }
    }
}
