/// What a board holds of a list: ids in their order, and a title for each, to say what is missing.
///
/// As `Codable` it is JSON on the board, with every id as a string.
package struct Playlist: Codable, Sendable, Hashable {
    package struct Entry: Codable, Sendable, Hashable {
        package let id: UInt64
        package let title: String

        package init(id: UInt64, title: String) { (self.id, self.title) = (id, title) }
    }

    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// The list with the tracks that a library has, in the same order, those that it has not among them.
    package func restored(from library: MusicLibrary) -> [RestoredTrack] {
        entries.map { entry in library[entry.id].map(RestoredTrack.found) ?? .missing(entry) }
    }
}

/// A place of a list after its restoration.
package enum RestoredTrack: Sendable, Hashable {
    /// The path of the file.
    case found(String)
    case missing(Playlist.Entry)

    package var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension [RestoredTrack] {
    /// A list that players read (M3U in UTF-8); what is missing stands in it as a comment.
    package var m3u: String {
        reduce("#EXTM3U\n") { text, track in
            switch track {
            case .found(let path): text + "\(path)\n"
            case .missing(let entry): text + "# missing: \(entry.id) \(entry.title)\n"
            }
        }
    }
}
