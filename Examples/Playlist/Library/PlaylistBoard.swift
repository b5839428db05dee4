package import IPC

/// A list on a board of its own, where it outlives everybody.
package struct PlaylistBoard: Sendable {
    private let application: Application
    /// The pasteboard's name.
    package let name: String

    package init(_ list: String, of application: Application) {
        self.application = application
        name = "com.example.Playlist.\(list)"
    }

    /// The list; `nil` where the board holds none.
    /// - Throws: `noSuchPasteboard`, or `payloadInvalid` where something else is on the board.
    package func restore() async throws -> Playlist? {
        try await application.pasteboard(named: PasteboardName(name)).value(Playlist.self)
    }

    /// Saves the list in place of what the board holds. On the disk when this returns.
    package func save(_ list: Playlist) async throws {
        try await application.pasteboard(named: PasteboardName(name), create: true).setValue(list)
    }
}
