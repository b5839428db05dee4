import Foundation

/// The tracks in a folder and its subfolders.
package struct MusicLibrary: Sendable {
    private var files: [UInt64: (path: String, track: Track)] = [:]
    /// The ids by title, then by length.
    private var ids: [String: [UInt32: Set<UInt64>]] = [:]
    /// The number of files that were read, because the index did not have their ids.
    package private(set) var hashed = 0
    /// The files and subfolders that could not be read.
    package private(set) var skipped: [UnreadableFile] = []
    package var count: Int { files.count }

    /// Creates a library. If several files have the same content, the first one is used.
    package init(_ tracks: [(path: String, track: Track)]) {
        for (path, track) in tracks {
            if files[track.id] == nil { files[track.id] = (path, track) }
            guard let milliseconds = track.milliseconds else { continue }
            ids[track.title, default: [:]][milliseconds, default: []].insert(track.id)
        }
    }

    /// Lists the files in the folder and its subfolders, and reads those that are new or have changed since the index
    /// was written. Skips what cannot be read.
    /// - Throws: if the folder itself cannot be read.
    package init(folder: String, index: MusicIndex?) throws(UnreadableFile) {
        let known = index?.rows() ?? [:]
        var (rows, skipped): ([String: MusicIndex.Row], [UnreadableFile]) = ([:], [])
        let names = try Self.names(in: folder, &skipped).sorted()
        for name in names {
            let path = "\(folder)/\(name)"
            // The stamp is taken before the file is read, so a change in the meantime is noticed at the next start.
            guard let stamp = MusicIndex.stamp(ofFile: path) else { continue }
            do throws(UnreadableFile) {
                rows[name] =
                    if let row = known[name], row.stamp == stamp { row } else {
                        MusicIndex.Row(stamp: stamp, track: try Track(ofFile: path))
                    }
            } catch { skipped.append(error) }
        }
        if rows != known { index?.write(rows) }
        self.init(names.compactMap { name in rows[name].map { ("\(folder)/\(name)", $0.track) } })
        hashed = rows.count { $0.value != known[$0.key] }
        self.skipped = skipped
    }

    /// The names of the files in a folder and its subfolders, relative to the folder. Links to folders are not followed,
    /// because they could lead in circles.
    private static func names(
        in folder: String, _ skipped: inout [UnreadableFile]
    ) throws(UnreadableFile) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw UnreadableFile(path: folder, isFolder: true)
        }
        var files: [String] = []
        for name in names {
            let path = "\(folder)/\(name)"
            var facts = stat()
            do throws(UnreadableFile) {
                guard lstat(path, &facts) == 0 else { throw UnreadableFile(path: path) }
                let isFolder = facts.st_mode & S_IFMT == S_IFDIR
                files += isFolder ? try Self.names(in: path, &skipped).map { "\(name)/\($0)" } : [name]
            } catch { skipped.append(error) }
        }
        return files
    }

    /// The track with this id, and the path of its file; `nil` if there is none.
    package subscript(id: UInt64) -> (path: String, track: Track)? { files[id] }

    /// Returns the track with the id that its file has now: if the id is not in the library, the id of the only file with
    /// the same title and length. If there is none or more than one, returns the track unchanged; it is then missing.
    package func current(_ track: Track) -> Track {
        guard files[track.id] == nil, let length = track.milliseconds, let ids = ids[track.title]?[length],
            let id = ids.first, ids.count == 1
        else { return track }
        return Track(id: id, title: track.title, milliseconds: length)
    }
}
