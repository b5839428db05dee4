import Glibc
import IPC
import IPCDBus

/// Fills a broker with content, so that its cost at that size can be measured.
@DBusActor
enum Growth {
    /// `fill-boards from=0 to=10000 persistent=yes bytes=16`: creates pasteboards with one item each.
    static func fillBoards(_ settings: Settings) async throws {
        let app = try await Application.connect(id: ApplicationID(settings.text("id", "org.example.Filler")))
        let (persistent, first) = (settings.flag("persistent"), try settings.number("from", 0))
        let item = PasteboardItem.data([UInt8](repeating: 98, count: try settings.number("bytes", 16)))
        try await each(first..<(try settings.number("to", 10_000))) { number in
            let board = try await app.pasteboard(
                named: PasteboardName("board.\(number)"), create: true, persistent: persistent)
            try await board.setItems([item])
        }
        say("done")
    }

    /// `fill-items count=1000000 boards=100 bytes=16 name=items.`: spreads the items over persistent pasteboards.
    static func fillItems(_ settings: Settings) async throws {
        let app = try await Application.connect(id: "org.example.Filler")
        let boards = try settings.number("boards", 100)
        let count = try settings.number("count", 1_000_000) / boards
        let item = PasteboardItem.data([UInt8](repeating: 105, count: try settings.number("bytes", 16)))
        let items = [PasteboardItem](repeating: item, count: count)
        let name = settings.text("name", "items.")
        try await each(0..<boards, window: 2) { number in
            let board = try await app.pasteboard(named: PasteboardName("\(name)\(number)"), create: true)
            try await board.setItems(items)
        }
        say("done")
    }

    /// `fill-schemes from=0 to=100000`: stores scheme claims, 1,000 per application.
    static func fillSchemes(_ settings: Settings) async throws {
        let app = try await Application.connect(id: "org.example.Filler")
        let (first, end) = (try settings.number("from", 0), try settings.number("to", 100_000))
        for start in stride(from: first, to: end, by: 1_000) {
            let schemes = try (start..<min(end, start + 1_000)).map { try URLScheme("scheme\($0)") }
            try await app.register(schemes, for: ApplicationID("org.example.Claims\(start / 1_000)"), persistent: true)
        }
        say("done")
    }

    /// `fill-pending from=0 to=100000 bytes=16`: queues requests for handlers that are not running.
    static func fillPending(_ settings: Settings) async throws {
        let (first, end) = (try settings.number("from", 0), try settings.number("to", 100_000))
        let item = PasteboardItem.data([UInt8](repeating: 112, count: try settings.number("bytes", 16)))
        // Queue 5,000 requests per sender and handler, because at most 10,000 requests may be pending per source and
        // 20,000 per handler.
        for start in stride(from: first, to: end, by: 5_000) {
            let app = try await Application.connect(id: ApplicationID("org.example.Source\(start / 5_000)"))
            var options = OpenOptions()
            options.application = try ApplicationID("org.example.Absent\(start / 10_000)")
            let queued = options
            try await each(start..<min(end, start + 5_000)) { _ in
                try await app.queue("pending:", sending: [item], options: queued)
            }
            await app.close()
        }
        say("done")
    }

    /// `connect from=0 to=1000`: keeps applications connected, each with a scheme, until standard input closes.
    static func connect(_ settings: Settings) async throws {
        var apps: [Application] = []
        for number in try settings.number("from", 0)..<(try settings.number("to", 1_000)) {
            apps.append(
                try await .connect(
                    id: ApplicationID("org.example.App\(number)"), schemes: [URLScheme("app\(number)")]))
        }
        say("ready")
        await Task.detached { while readLine() != nil {} }.value
        withExtendedLifetime(apps) {}
    }

    private static func each(
        _ numbers: Range<Int>, window: Int = 64, _ body: @escaping @DBusActor @Sendable (Int) async throws -> Void
    ) async throws {
        let workers = (0..<window).map { worker in
            DBusActor.task {
                for number in stride(from: numbers.lowerBound + worker, to: numbers.upperBound, by: window) {
                    try await body(number)
                }
            }
        }
        for worker in workers { try await worker.value }
    }
}
