/// A list of tracks as stored on a pasteboard. Each entry has the track's id, and a title that names the track if it is
/// missing.
///
/// The list is stored as JSON (`Codable`), with every id as a string.
package struct Playlist: Codable, Sendable, Hashable {
    package struct Entry: Codable, Sendable, Hashable {
        package let id: UInt64
        package let title: String

        package init(id: UInt64, title: String) { (self.id, self.title) = (id, title) }
    }

    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// Looks up the tracks in a library. The result has the order of the list, including missing tracks.
    package func restored(from library: MusicLibrary) -> [RestoredTrack] {
        entries.map { entry in library[entry.id].map(RestoredTrack.found) ?? .missing(entry) }
    }
}

/// An entry of a list after the lookup in a library.
package enum RestoredTrack: Sendable, Hashable {
    /// The path of the file.
    case found(String)
    case missing(Playlist.Entry)

    package var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension [RestoredTrack] {
    /// The list in a format that players read (M3U in UTF-8); missing tracks are comments.
    package var m3u: String {
        reduce("#EXTM3U\n") { text, track in
            switch track {
            case .found(let path): text + "\(path)\n"
            case .missing(let entry): text + "# missing: \(entry.id) \(entry.title)\n"
            }
        }
    }
}
