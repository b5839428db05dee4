package import IPC

/// A list on its own pasteboard, where it outlives all programs.
package struct PlaylistBoard: Sendable {
    private let application: Application
    /// The pasteboard's name.
    package let name: String

    package init(_ list: String, of application: Application) {
        self.application = application
        name = "com.example.Playlist.\(list)"
    }

    /// Replaces the content of the pasteboard with the list, which is on disk when this returns.
    package func save(_ list: Playlist) async throws {
        try await application.pasteboard(named: PasteboardName(name), create: true).setValue(list)
    }

    /// Changes the list, and saves it if it has changed. If another program was faster, this applies the change to the list
    /// that the other program wrote, so that no change is lost.
    /// - Parameter create: whether a missing pasteboard, or an empty one, counts as an empty list. It is created when a
    ///   track is added.
    /// - Throws: `noSuchPasteboard`; `noSuchItem` or `payloadInvalid` if the pasteboard does not contain a list.
    package func update<Result>(create: Bool = false, _ change: (inout Playlist) -> Result) async throws -> Result {
        let board: Pasteboard
        do { board = try await stored() } catch {
            guard create, error.code == .noSuchPasteboard else { throw error }
            var list = Playlist()
            let result = change(&list)
            guard list != Playlist() else { return result }
            board = try await application.pasteboard(named: PasteboardName(name), create: true)
        }
        while true {
            let version = try await board.version()
            let found = try version.items.first?.value(Playlist.self)
            guard let old = found ?? (create && version.items.isEmpty ? Playlist() : nil) else {
                throw IPCError(.noSuchItem, "the pasteboard \(name) does not contain a list")
            }
            var list = old
            let result = change(&list)
            do throws(IPCError) {
                if list != old { try await board.setItems([.value(list)], ifChangeCount: version.changeCount) }
                return result
            } catch {
                guard error.code == .changeCountMismatch else { throw error }
            }
        }
    }

    /// The pasteboard, if there is one.
    private func stored() async throws(IPCError) -> Pasteboard {
        do { return try await application.pasteboard(named: PasteboardName(name)) } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            throw IPCError(error.code, "there is no pasteboard “\(name)”; create the list with 'playlist save'")
        }
    }
}
