import Foundation
import IPC
import Playlists
import Testing

struct PlaylistTests {
    /// Ids near the limits beyond which other number types lose integers: 2^31, 2^32, 2^53, 2^63, 2^64.
    private static let ids: [UInt64] = [
        0, 1, 1 << 31, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max - 1,
        .max,
    ]
    private let list = Playlist(entries: ids.map { Playlist.Entry(id: $0, title: "曲 \($0)") })

    @Test func everyIDSurvivesJSON() throws {
        let item = try PasteboardItem.value(list)
        #expect(try item.value(Playlist.self) == list)
        let json = String(decoding: item.representations[0].value.content, as: UTF8.self)
        for id in Self.ids { #expect(json.contains(#""\#(id)""#), "\(id) is a string") }
    }

    /// This is why ids are written as strings: a reader may store JSON numbers as doubles.
    @Test func aDoubleCannotRepresentEveryID() {
        let lost = Self.ids.filter { UInt64(exactly: Double($0)) != $0 }
        let largest: [UInt64] = [(1 << 63) - 1, (1 << 63) + 1, .max - 1, .max]
        #expect(lost == [(1 << 53) + 1] + largest)
    }

    @Test func aListIsRestoredInOrder() {
        let (a, b): (UInt64, UInt64) = (1 << 63, (1 << 53) + 1)
        let library = MusicLibrary(paths: [a: "/a", b: "/b", 7: "/c"])
        let ids: [UInt64] = [b, a, a + 1, b]
        let entries = ids.map { Playlist.Entry(id: $0, title: "曲 \($0)") }
        let restored = Playlist(entries: entries).restored(from: library)
        #expect(restored == [.found("/b"), .found("/a"), .missing(entries[2]), .found("/b")])
        #expect(restored.m3u == "#EXTM3U\n/b\n/a\n# missing: 9223372036854775809 曲 9223372036854775809\n/b\n")
    }

    @Test func anIDIsTheBeginningOfTheHash() throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "playlist-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(component: "夜"), withIntermediateDirectories: true)
        let file = folder.appending(components: "夜", "abc.ogg")
        try Data("abc".utf8).write(to: file)
        // FIPS 180-4 has this example: the SHA-256 of “abc” begins with ba7816bf 8f01cfea.
        let id: UInt64 = 0xba78_16bf_8f01_cfea
        #expect(try TrackID.ofFile(at: file.path) == id)
        #expect(try MusicLibrary(folder: folder.path)[id] == file.path)
        #expect(throws: (any Error).self) { try TrackID.ofFile(at: file.path + "?") }
    }
}
