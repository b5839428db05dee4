import ArgumentParser
import Foundation
import IPC
import Playlists
import UnixSignals

/// Gives lists to other programs: `ipc-client call playlist:evening | mpv --playlist=-`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer “playlist:NAME” URLs with a list that players read (M3U).")
    @Option(help: ArgumentHelp("Where the tracks are.", valueName: "folder")) var library = "."

    func run() async throws {
        try await PlaylistCommand.connected(schemes: ["playlist"]) { app in
            // What is in hand is answered, then the program ends.
            let signals = Task {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { try? await app.stopReceiving() }
            }
            defer { signals.cancel() }
            PlaylistCommand.tell("listening for playlist")
            try await app.onOpenURL { request in
                let name = request.url.dropFirst("playlist:".count)
                guard let name = String(name).removingPercentEncoding, !name.isEmpty else {
                    throw OpenURLRequest.Answer.declined
                }
                guard let list = try await PlaylistBoard(name, of: app).restore() else {
                    throw OpenURLRequest.Answer.failed(code: "no-list", message: "there is no list \(name)")
                }
                return [.string(list.restored(from: try MusicLibrary(folder: library)).m3u)]
            }
        }
    }
}
