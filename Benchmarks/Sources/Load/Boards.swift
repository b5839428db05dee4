import IPC
import IPCDBus

/// Measures how long pasteboards take to write and to read, without requests to open URLs.
@DBusActor
enum Boards {
    /// `set count=1000 window=1 bytes=1024 board=NAME persistent=yes`: replaces the items of a pasteboard.
    static func set(_ settings: Settings) async throws {
        let (board, items) = try await board(settings)
        let loop = try ClosedLoop(settings)
        try await board.setItems(items)
        try await loop.measure { try await board.setItems(items) }
    }

    /// `get count=1000 window=1 bytes=1024 board=NAME persistent=yes`: reads the items and checks them.
    static func get(_ settings: Settings) async throws {
        let (board, items) = try await board(settings)
        let loop = try ClosedLoop(settings)
        try await board.setItems(items)
        try await loop.measure {
            let read = try await board.items
            guard read == items else { throw Settings.Mistake(description: "other items were read") }
        }
    }

    private static func board(_ settings: Settings) async throws -> (Pasteboard, [PasteboardItem]) {
        let app = try await Application.connect(id: "org.example.Writer")
        let board = try await app.pasteboard(
            named: PasteboardName(settings.text("board", "bench")), create: true,
            persistent: settings.flag("persistent"))
        return (board, [.data([UInt8](repeating: 120, count: try settings.number("bytes", 1_024)))])
    }
}
