import ArgumentParser
import IPC
import Playlists
import Programs

/// Provides lists to other programs: `ipc-client call playlist:evening | mpv --playlist=-`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer “playlist:NAME” URLs with a list for players (M3U).")
    @Option(help: ArgumentHelp("Where the tracks are.", valueName: "folder")) var library = "."

    func run() async throws {
        // On a signal, the requests in progress are answered, and then the program exits.
        let signals = StopSignals()
        await PlaylistCommand.connected(schemes: ["playlist"]) { app in
            Program.tell("listening for playlist")
            try await app.onOpenURL(until: signals) { request in
                let name = request.path
                guard !name.isEmpty else {
                    throw OpenURLRequest.Answer.declined(message: "the URL does not name a list")
                }
                guard let list = try await PlaylistBoard(name, of: app).restore() else {
                    throw OpenURLRequest.Answer.failed(code: "no-list", message: "there is no list \(name)")
                }
                return [.string(list.restored(from: try MusicLibrary(folder: library)).m3u)]
            }
        }
    }
}
