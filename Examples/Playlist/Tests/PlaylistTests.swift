import IPC
import Playlists
import Testing

struct PlaylistTests {
    /// Ids near the limits beyond which other number types lose integers: 2^31, 2^32, 2^53, 2^63, 2^64.
    private static let ids: [UInt64] = [
        0, 1, 1 << 31, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max - 1,
        .max,
    ]
    private let list = Playlist(entries: ids.map { Track(id: $0, title: "曲 \($0)", milliseconds: .max) })

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
        let library = MusicLibrary([("/a", Track(id: a, title: "a")), ("/b", Track(id: b, title: "b"))])
        let ids: [UInt64] = [b, a, a + 1, b]
        var list = Playlist(entries: ids.map { Track(id: $0, title: "曲 \($0)") })
        #expect(list.relink(to: library).map(\.id) == ids)
        #expect(
            list.m3u(from: library) == "#EXTM3U\n/b\n/a\n# missing: 9223372036854775809 曲 9223372036854775809\n/b\n")
    }

    @Test func aNameWithALineBreakAddsNoEntryForAPlayer() {
        let library = MusicLibrary([("/a\nb", track(1))])
        let list = Playlist(entries: [track(1), track(2, "x\n/etc/passwd\r\n\u{2028}y")])
        #expect(list.m3u(from: library) == "#EXTM3U\n/a b\n# missing: 2 x /etc/passwd  y\n")
    }

    // MARK: Ids that have changed

    private func track(_ id: UInt64, _ title: String = "夜.wav", _ milliseconds: UInt32? = 1_500) -> Track {
        Track(id: id, title: title, milliseconds: milliseconds)
    }

    private func restored(_ entry: Track, _ library: Track...) -> Track {
        var list = Playlist(entries: [entry])
        return list.relink(to: MusicLibrary(library.map { ("/\($0.id)", $0) }))[0]
    }

    @Test func aTrackWhoseIDIsGoneIsFoundByTitleAndLength() {
        #expect(restored(track(1), track(2), track(3, "other"), track(4, "夜.wav", 1_501)) == track(2))
        // Two copies of one file are one track.
        #expect(restored(track(1), track(2), track(2)) == track(2))
        // The control: while the id exists, nothing else counts.
        #expect(restored(track(1), track(2), Track(id: 1, title: "renamed")) == track(1))
    }

    @Test func aTrackStaysIfThereIsNoCandidateOrMoreThanOne() {
        #expect(restored(track(1), track(2), track(3)) == track(1))
        #expect(restored(track(1)) == track(1))
        #expect(restored(track(1), track(2, "other"), track(3, "夜.wav", 1_499)) == track(1))
        // An unknown length is no evidence.
        #expect(restored(track(1, "夜.ogg", nil), track(2, "夜.ogg", nil)) == track(1, "夜.ogg", nil))
    }

    // MARK: Adding

    @Test func tracksAreAppendedOnceInTheirOrder() {
        let library = MusicLibrary((1...6).map { ("/\($0)", track($0, "\($0)")) })
        var list = Playlist(entries: [track(3, "3"), track(1, "1"), track(99, "gone")])
        let addition = list.add([5, 1, .max, 4, 5, 99], from: library)
        #expect(list.entries.map(\.id) == [3, 1, 99, 5, 4])
        #expect(addition.added == [5, 4] && addition.present == [1, 5, 99] && addition.missing == [.max])
    }

    @Test func aTrackWhoseIDHasChangedIsNotAddedTwice() {
        var list = Playlist(entries: [track(1)])
        let addition = list.add([2, 1], from: MusicLibrary([("/a", track(2))]))
        #expect(list.entries == [track(2)] && addition.present == [2, 1], "\(addition)")
    }

    @Test(
        arguments: [
            ("playlist:夜", "夜", []), ("Playlist:%E5%A4%9C", "夜", []),
            ("playlist://add?list=a%26b&id=0&id=18446744073709551615", "a&b", [0, .max]),
            ("playlist://add/?id=7&list=x", "x", [7]),
        ] as [(String, String, [UInt64])])
    func aURLNamesAListAndIDs(url: String, list: String, ids: [UInt64]) throws {
        let parts = try URLParts(of: url)
        let asked = try PlaylistURL(host: parts.host, path: parts.path, parameters: parts.parameters)
        #expect(asked.list == list && asked.ids == ids)
    }

    @Test(arguments: [
        "playlist:", "playlist://", "playlist://remove?list=x&id=1", "playlist://add/now?list=x&id=1",
        "playlist://add", "playlist://add?list=x", "playlist://add?id=1", "playlist://add?list=&id=1",
        "playlist://add?list=x&list=y&id=1", "playlist://add?list=x&id=1&at=0", "playlist://add?list=x&id=",
        "playlist://add?list=x&id=-1", "playlist://add?list=x&id=+1", "playlist://add?list=x&id=01",
        "playlist://add?list=x&id=1.0", "playlist://add?list=x&id=18446744073709551616",
    ]) func otherURLsAreDeclinedWithAReason(url: String) throws {
        let parts = try URLParts(of: url)
        let answer = #expect(throws: OpenURLRequest.Answer.self, "\(url)") {
            try PlaylistURL(host: parts.host, path: parts.path, parameters: parts.parameters)
        }
        guard case .declined(_, .some) = answer else {
            Issue.record("\(url): \(String(describing: answer))")
            return
        }
    }
}
