import Foundation
import IPCTesting
import Testing

/// Lists of 64-bit ids: from Swift to a board, through Python and JavaScript, and back.
@Suite(.privateBus)
struct PlaylistTests {
    private static let board = "com.example.Playlist.夜"
    /// Values that a double cannot represent, and values around the limit of a signed number.
    private static let ids: [UInt64] = [(1 << 53) + 1, (1 << 63) - 1, (1 << 63) + 1, .max, 7]

    private func run(_ arguments: String...) async throws -> ProcessOutput {
        try await RunningProcess.run(
            try Binaries.example("playlist"), arguments, environment: try ExamplePlace.environment)
    }

    /// Reverses the list with the example's program in the given language.
    private func reverse(_ language: String) async throws {
        try await RunningProcess.run(
            ExamplePlace.folder("Playlist/reverse.\(language)"), ["夜"], environment: try ExamplePlace.environment
        ).succeeded()
    }

    /// Puts a list with these ids on the board, as strings or as numbers.
    private func set(_ ids: [UInt64], asNumbers: Bool) async throws {
        let entries = ids.map { id in
            #"{"title":"曲 \#(id) 🎵","id":\#(asNumbers ? "\(id)" : "\"\(id)\"")}"#
        }
        let json = #"{"entries":[\#(entries.joined(separator: ","))]}"#
        _ = try await Tools.client(["set", Self.board, "--type", "application/json", json]).succeeded()
    }

    /// The ids on the board, in order, each with its title, as the Swift program reads them.
    private func shown() async throws -> [String] { try await run("show", "夜").succeeded().lines }

    private func lines(_ ids: [UInt64]) -> [String] { ids.map { "\($0)\t曲 \($0) 🎵" } }

    @Test func `tracks are restored in order after a move, and missing ones are reported`() async throws {
        _ = try await BrokerProcess.start()
        let music = try PrivateBus.current.directory.makeDirectory("music")
        let names = ["3 さくら.ogg", "1 夜想曲 🎹.ogg", "2 gone.ogg"]
        for name in names { try FileContents.write("sound of \(name)", to: "\(music)/\(name)") }
        _ = try await run("save", "夜", "\(music)/\(names[0])", "\(music)/\(names[2])", "\(music)/\(names[1])")
            .succeeded()
        let all = try await run("restore", "夜", "--library", music).succeeded()
        #expect(all.lines == [0, 2, 1].map { "\(music)/\(names[$0])" })
        // One file is moved and renamed, and another one is deleted.
        try PrivateBus.current.directory.makeDirectory("music/old")
        try await RunningProcess.run("mv", ["\(music)/\(names[0])", "\(music)/old/さくら (1).ogg"]).succeeded()
        try await RunningProcess.run("rm", ["\(music)/\(names[2])"]).succeeded()
        let id = try #require(try await shown().first { $0.hasSuffix("\t2 gone.ogg") }?.split(separator: "\t").first)
        let some = try await run("restore", "夜", "--library", music)
        #expect(some.status == .exited(66), "\(some)")
        #expect(some.lines == ["\(music)/old/さくら (1).ogg", "\(music)/\(names[1])"])
        #expect(some.errors == "playlist: missing: \(id) 2 gone.ogg\n")
        let none = try await run("restore", "昼", "--library", music)
        #expect(none.status == .exited(66) && none.errors.contains("com.example.Playlist.昼"), "\(none)")
        // The broker stores the list on disk, so any program can read it, even after the program that wrote it has
        // exited.
        #expect(try await Tools.client(["get", Self.board]).output.contains(#""id":"\#(id)""#))
    }

    @Test func `64-bit ids pass through Python and JavaScript unchanged`() async throws {
        _ = try await BrokerProcess.start()
        try await set(Self.ids, asNumbers: false)
        #expect(try await shown() == lines(Self.ids))
        try await reverse("js")
        #expect(try await shown() == lines(Self.ids.reversed()))
        try await reverse("py")
        #expect(try await shown() == lines(Self.ids))
        try await reverse("py")
        try await reverse("js")
        #expect(try await shown() == lines(Self.ids))
        // Missing tracks are reported with the same ids.
        let empty = try PrivateBus.current.directory.makeDirectory("empty")
        let missing = try await run("restore", "夜", "--library", empty)
        #expect(
            missing.errors == lines(Self.ids).map { "playlist: missing: \($0.replacing("\t", with: " "))\n" }.joined())
    }

    @Test func `control: as JSON numbers, they break only in JavaScript`() async throws {
        _ = try await BrokerProcess.start()
        try await set(Self.ids, asNumbers: true)
        #expect(try await shown() == lines(Self.ids), "Swift")
        try await reverse("py")
        #expect(try await shown() == lines(Self.ids.reversed()), "Python")
        try await reverse("py")
        // JavaScript rounds an id of 16 digits to a neighbouring number, and 2^64 - 1 to a number that does not fit
        // into 64 bits.
        try await set([(1 << 53) + 1, 1 << 53, 7], asNumbers: true)
        try await reverse("js")
        let broken = try await shown().map { $0.prefix { $0 != "\t" } }
        #expect(broken == ["7", "9007199254740992", "9007199254740992"])
        try await set([.max], asNumbers: true)
        try await reverse("js")
        let refused = try await run("show", "夜")
        #expect(refused.status == .exited(65) && refused.errors.contains("18446744073709552000"), "\(refused)")
    }

    @Test func `other programs get a list that media players can read`() async throws {
        _ = try await BrokerProcess.start()
        let music = try PrivateBus.current.directory.makeDirectory("music")
        try FileContents.write("sound", to: "\(music)/音.ogg")
        _ = try await run("save", "夜", "\(music)/音.ogg").succeeded()
        let service = try await RunningProcess.start(
            try Binaries.example("playlist"), ["serve", "--library", music], environment: try ExamplePlace.environment,
            input: .none)
        try await service.errors.waitForLine(containing: "listening for playlist")
        let list = "#EXTM3U\n\(music)/音.ogg\n"
        #expect(try await Tools.client(["call", "playlist:夜"]).output == list)
        #expect(try await Tools.client(["call", "Playlist:%E5%A4%9C"]).output == list)
        try await RunningProcess.run("rm", ["\(music)/音.ogg"]).succeeded()
        #expect(try await Tools.client(["call", "playlist:夜"]).output.contains("\n# missing: "))
        let none = try await Tools.client(["call", "playlist:昼"])
        #expect(none.status == .exited(70) && none.errors.contains("昼"), "\(none)")
        #expect(try await Tools.client(["call", "playlist:"]).status == .exited(1))
        #expect(try await service.terminate() == .success)
    }
}
