import ArgumentParser
import IPC
import Playlists
import Programs

/// Provides lists to other programs, and adds tracks for them.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer URLs: “playlist:LIST”, and “playlist://add?list=LIST&id=ID&id=ID”.",
        discussion: """
            The reply to the first is a list for players (M3U). The second appends tracks to the list. Its reply is JSON \
            that says which ids were added, which were present, and which are missing from the library.
            """)
    @OptionGroup var library: LibraryOptions

    func run() async throws {
        // On a signal, the requests in progress are answered, and then the program exits.
        let signals = StopSignals()
        await PlaylistCommand.connected(schemes: ["playlist"], window: 8) { app in
            Program.tell("listening for playlist")
            try await app.onOpenURL(until: signals) { request in
                let asked = try PlaylistURL(host: request.host, path: request.path, parameters: request.parameters)
                let (board, library) = (PlaylistBoard(asked.list, of: app), try library.read())
                if !asked.ids.isEmpty {
                    return [try .value(try await board.update(create: true) { $0.add(asked.ids, from: library) })]
                }
                let list = try await board.update { list in
                    list.relink(to: library)
                    return list.m3u(from: library)
                }
                return [.string(list)]
            }
        }
    }
}
