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
        subcommands: [Save.self, Show.self, Restore.self, Play.self, Serve.self, Index.self])

    /// Connects and runs `work`; an error ends the process with a message.
    static func connected<Result>(
        schemes: [URLScheme] = [], window: UInt32 = 1, _ work: (Application) async throws -> Result
    ) async -> Result {
        await Program.run {
            let app = try await Application.connect(id: "com.example.Playlist", schemes: schemes, window: window)
            let result = try await work(app)
            await app.close()
            return result
        }
    }
}

struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Save the ids of files, in this order.")
    @Argument(help: "The name of the list.") var list: String
    @Argument(help: ArgumentHelp("The tracks.", valueName: "file")) var files: [String]

    func run() async throws {
        await PlaylistCommand.connected { app in
            try await PlaylistBoard(list, of: app).save(Playlist(entries: files.map { try Track(ofFile: $0) }))
        }
    }
}

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the ids and titles of a list.")
    @Argument(help: "The name of the list.") var list: String

    func run() async throws {
        let entries = await PlaylistCommand.connected { try await PlaylistBoard(list, of: $0).update { $0.entries } }
        for entry in entries { print("\(entry.id)\t\(Program.printable(entry.title))") }
    }
}

/// The option for the folder with the tracks.
struct LibraryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with the tracks.", valueName: "folder")) var library = "."

    /// Reads the library, and reports what it skips.
    func read() throws -> MusicLibrary {
        let tracks = try MusicLibrary(folder: library, index: MusicIndex(folder: library))
        for file in tracks.skipped { Program.tell("\(file), so it is skipped") }
        return tracks
    }
}

/// A list, and the library with its tracks.
struct ListOptions: ParsableArguments {
    @Argument(help: "The name of the list.") var list: String
    @OptionGroup var library: LibraryOptions

    /// Restores the list, and passes the path of each track to a closure. Exits with 66 if tracks are missing.
    func restore(_ body: (String) throws -> Void) async throws {
        let (entries, tracks) = await PlaylistCommand.connected { app in
            let tracks = try library.read()
            return (try await PlaylistBoard(list, of: app).update { $0.relink(to: tracks) }, tracks)
        }
        let missing = entries.filter { tracks[$0.id] == nil }
        for entry in missing { Program.tell("missing: \(entry.id) \(entry.title)") }
        for entry in entries { if let (path, _) = tracks[entry.id] { try body(path) } }
        if !missing.isEmpty { throw ExitCode(EX_NOINPUT) }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the paths of a list's tracks, in order, wherever the files are now.",
        discussion: "If tracks are missing, standard error lists them, and the exit code is 66.")
    @OptionGroup var list: ListOptions

    func run() async throws { try await list.restore { print($0) } }
}

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Update the index of the library, and print how many files were read.")
    @OptionGroup var library: LibraryOptions

    func run() async throws {
        let tracks = await Program.run { try library.read() }
        print("\(tracks.count) tracks, \(tracks.hashed) read")
    }
}
