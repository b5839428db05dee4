package import IPC

/// A list that is stored on its own pasteboard, where it outlives all programs.
package struct PlaylistBoard: Sendable {
    private let application: Application
    /// The pasteboard's name.
    package let name: String

    package init(_ list: String, of application: Application) {
        self.application = application
        name = "com.example.Playlist.\(list)"
    }

    /// Reads the list; `nil` if the pasteboard is empty.
    /// - Throws: `noSuchPasteboard`, or `payloadInvalid` if the pasteboard contains something else.
    package func restore() async throws -> Playlist? {
        try await application.pasteboard(named: PasteboardName(name)).value(Playlist.self)
    }

    /// Replaces the content of the pasteboard with the list, which is on disk when this returns.
    package func save(_ list: Playlist) async throws {
        try await application.pasteboard(named: PasteboardName(name), create: true).setValue(list)
    }
}
