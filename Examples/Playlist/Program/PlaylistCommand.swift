import ArgumentParser
import Glibc
import IPC
import Playlists
import Programs

/// The program `playlist`.
@main
struct PlaylistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Lists of tracks with persistent 64-bit ids, stored on pasteboards.",
        subcommands: [Save.self, Show.self, Restore.self, Serve.self])

    static let application: ApplicationID = "com.example.Playlist"

    /// Connects and runs `work`; an error ends the process with a message.
    static func connected(schemes: [URLScheme] = [], _ work: (Application) async throws -> Void) async {
        await Program.run {
            let app = try await Application.connect(id: application, schemes: schemes)
            try await work(app)
            await app.close()
        }
    }
}

/// The error for a file that cannot be read.
struct Unreadable: ExitCodeError, CustomStringConvertible {
    let path: String
    let exitCode = EX_NOINPUT

    var description: String { "\(path) cannot be read" }
}

struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Save the ids of files, in this order.")
    @Argument(help: "The name of the list.") var list: String
    @Argument(help: ArgumentHelp("The tracks.", valueName: "file")) var files: [String]

    func run() async throws {
        await PlaylistCommand.connected { app in
            let entries = try files.map { path in
                do { return Playlist.Entry(id: try TrackID.ofFile(at: path), title: path.fileName) } catch {
                    throw Unreadable(path: path)
                }
            }
            try await PlaylistBoard(list, of: app).save(Playlist(entries: entries))
        }
    }
}

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the ids and titles of a list.")
    @Argument(help: "The name of the list.") var list: String

    func run() async throws {
        await PlaylistCommand.connected { app in
            for entry in try await PlaylistBoard(list, of: app).entries() { print("\(entry.id)\t\(entry.title)") }
        }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the paths of a list's tracks, in order, wherever the files are now.",
        discussion: "If tracks are missing, standard error lists them, and the exit code is 66.")
    @Argument(help: "The name of the list.") var list: String
    @Option(help: ArgumentHelp("Where the tracks are.", valueName: "folder")) var library = "."

    func run() async throws {
        await PlaylistCommand.connected { app in
            let entries = try await PlaylistBoard(list, of: app).entries()
            let tracks = Playlist(entries: entries).restored(from: try readLibrary())
            for track in tracks {
                switch track {
                case .found(let path): print(path)
                case .missing(let entry): Program.tell("missing: \(entry.id) \(entry.title)")
                }
            }
            if tracks.contains(where: \.isMissing) { Glibc.exit(EX_NOINPUT) }
        }
    }

    private func readLibrary() throws -> MusicLibrary {
        do { return try MusicLibrary(folder: library) } catch { throw Unreadable(path: library) }
    }
}

extension String {
    /// The part after the last slash.
    fileprivate var fileName: String { String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...]) }
}

extension PlaylistBoard {
    /// The entries of the saved list.
    fileprivate func entries() async throws -> [Playlist.Entry] {
        guard let list = try await restore() else {
            throw IPCError(.noSuchItem, "the pasteboard \(name) does not contain a list")
        }
        return list.entries
    }
}
