/// A list of tracks as stored on a pasteboard.
///
/// The list is stored as JSON (`Codable`), with every id as a string.
package struct Playlist: Codable, Sendable, Hashable {
    package var entries: [Track]

    package init(entries: [Track] = []) { self.entries = entries }

    /// Replaces the entries whose files have changed; see ``MusicLibrary/current(_:)``.
    /// - Returns: the updated entries.
    @discardableResult
    package mutating func relink(to library: MusicLibrary) -> [Track] {
        entries = entries.map(library.current)
        return entries
    }

    /// The list in a format that players read (M3U in UTF-8); missing tracks are comments. A line break in a name becomes a
    /// space. Otherwise, a program that writes titles could make a player open any file.
    package func m3u(from library: MusicLibrary) -> String {
        let lines = entries.map { library[$0.id]?.path ?? "# missing: \($0.id) \($0.title)" }.map { line in
            line.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: " ") + "\n"
        }
        return "#EXTM3U\n" + lines.joined()
    }

    /// Appends the tracks of a library that the list does not contain, in the order of their ids. Relinks the list first,
    /// so that a track whose id has changed is not added a second time.
    package mutating func add(_ ids: [UInt64], from library: MusicLibrary) -> Addition {
        var present = Set(entries.map(\.id))
        relink(to: library)
        present.formUnion(entries.map(\.id))
        var addition = Addition()
        for id in ids {
            if present.contains(id) {
                addition.present.append(id)
            } else if let (_, track) = library[id] {
                entries.append(track)
                addition.added.append(id)
                present.insert(id)
            } else {
                addition.missing.append(id)
            }
        }
        return addition
    }
}

/// The result of adding ids to a list.
package struct Addition: Codable, Sendable, Hashable {
    package var added: [UInt64] = []
    /// The ids that were already in the list.
    package var present: [UInt64] = []
    /// The ids that the library does not contain.
    package var missing: [UInt64] = []
}
