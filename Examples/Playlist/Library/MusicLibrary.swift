import Foundation

/// The tracks in a folder and its subfolders, by their ids.
package struct MusicLibrary: Sendable {
    private let paths: [UInt64: String]

    /// Reads every file in the folder and its subfolders. Of files with the same content, the first by path is used.
    /// - Throws: an error if the folder or a file cannot be read.
    package init(folder: String) throws {
        var paths: [UInt64: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            let path = "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            let id = try TrackID.ofFile(at: path)
            if paths[id] == nil { paths[id] = path }
        }
        self.paths = paths
    }

    package init(paths: [UInt64: String]) { self.paths = paths }

    /// The path of the track with this id; `nil` if there is none.
    package subscript(id: UInt64) -> String? { paths[id] }
}
