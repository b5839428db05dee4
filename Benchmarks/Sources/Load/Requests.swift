import Glibc
import IPC
import IPCDBus

/// Measures requests to open a URL: the handler and the senders.
@DBusActor
enum Requests {
    /// `receive scheme=load window=64 id=org.example.Load`: answers each request at once, until it is killed.
    static func receive(_ settings: Settings) async throws {
        let app = try await Application.connect(
            id: ApplicationID(settings.text("id", "org.example.Load")),
            schemes: [URLScheme(settings.text("scheme", "load"))],
            window: UInt32(try settings.number("window", 64)))
        say("ready")
        for try await request in app.openURLs { try await request.finish(.handled) }
    }

    /// `open count=1000 window=1 bytes=1024 board=NAME scheme=load`: with `board`, stores the payload there too.
    static func open(_ settings: Settings) async throws {
        let sender = try await Sender(settings)
        let loop = try ClosedLoop(settings)
        try await sender.warmUp()
        try await loop.measure { try await sender.open() }
    }

    /// `queue count=1000 window=1 bytes=1024`: queues requests; each call returns once its request is on disk.
    static func queue(_ settings: Settings) async throws {
        let sender = try await Sender(settings)
        var options = OpenOptions()
        options.isQueued = true
        let queued = options
        let loop = try ClosedLoop(settings)
        try await loop.measure { try await sender.open(queued) }
    }

    /// `ask count=1000 window=1`: asks whether the scheme can be opened.
    static func ask(_ settings: Settings) async throws {
        let sender = try await Sender(settings)
        let loop = try ClosedLoop(settings)
        try await loop.measure { try await sender.ask() }
    }
}

/// A program that opens URLs, always with the same payload.
@DBusActor
struct Sender {
    private let app: Application
    private let url: String
    private let items: [PasteboardItem]
    private let board: Pasteboard?

    struct NotHandled: Error { let outcome: Outcome }

    init(_ settings: Settings) async throws {
        app = try await Application.connect(id: ApplicationID(settings.text("id", "org.example.Sender")))
        url = settings.text("scheme", "load") + ":"
        items = [.data([UInt8](repeating: 120, count: try settings.number("bytes", 1_024)))]
        let name = settings.text("board", "")
        board = name.isEmpty ? nil : try await app.pasteboard(named: PasteboardName(name), create: true)
    }

    func open(_ options: OpenOptions = OpenOptions()) async throws {
        let response = try await app.open(url, sending: items, on: board, options: options)
        guard response.isHandled || options.isQueued else { throw NotHandled(outcome: response.outcome) }
    }

    func ask() async throws {
        guard try await app.canOpenURL(url) else { throw NotHandled(outcome: .unavailable) }
    }

    /// Sends requests that are not measured, because the first ones include one-time setup.
    func warmUp() async throws { for _ in 0..<50 { try await open() } }
}
