import Foundation
import Playlists
import Testing

/// Libraries in a temporary folder, with an index in another one.
final class MusicLibraryTests {
    private let root = FileManager.default.temporaryDirectory.appending(component: "playlist-\(UUID())")
    private var music: String { root.appending(component: "music").path }
    private var index: MusicIndex {
        get throws { try #require(MusicIndex(folder: music, environment: ["XDG_CACHE_HOME": "\(root.path)/cache"])) }
    }

    init() throws {
        try FileManager.default.createDirectory(atPath: "\(music)/夜", withIntermediateDirectories: true)
        for name in ["夜/abc.ogg", "b.ogg", "c.ogg"] { try write("sound of \(name)", to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(music)/\(name)"))
    }

    /// How many files are read when the library is opened.
    private func hashed() throws -> Int { try MusicLibrary(folder: music, index: index).hashed }

    @Test func anIDIsTheBeginningOfTheHash() throws {
        try write("abc", to: "夜/abc.ogg")
        let path = "\(music)/夜/abc.ogg"
        // FIPS 180-4 has this example: the SHA-256 of “abc” begins with ba7816bf 8f01cfea.
        let id: UInt64 = 0xba78_16bf_8f01_cfea
        #expect(try Track(ofFile: path).id == id)
        #expect(try #require(try MusicLibrary(folder: music, index: nil)[id]).path == path)
        #expect(throws: UnreadableFile.self) { try Track(ofFile: path + "?") }
        for folder in [path + "?", path] {
            let error = #expect(throws: UnreadableFile.self) { try MusicLibrary(folder: folder, index: nil) }
            #expect(error?.description == "\(folder) cannot be read as a folder" && error?.exitCode == EX_NOINPUT)
        }
    }

    @Test func aFileThatCannotBeReadIsSkipped() throws {
        // Not even root can read the first byte of a process's memory.
        try FileManager.default.createSymbolicLink(
            atPath: "\(music)/夜/bad.ogg", withDestinationPath: "/proc/self/mem")
        for hashed in [3, 0] {
            let library = try MusicLibrary(folder: music, index: index)
            #expect(library.skipped.map(\.path) == ["\(music)/夜/bad.ogg"])
            #expect(library.count == 3 && library.hashed == hashed)
        }
    }

    @Test func onlyNewAndChangedFilesAreRead() throws {
        #expect(try hashed() == 3)
        #expect(try hashed() == 0)
        try write("new", to: "d.ogg")
        try write("longer than before, and something else", to: "b.ogg")
        #expect(try hashed() == 2)
        try FileManager.default.moveItem(atPath: "\(music)/c.ogg", toPath: "\(music)/夜/c.ogg")
        try FileManager.default.removeItem(atPath: "\(music)/d.ogg")
        let library = try MusicLibrary(folder: music, index: index)
        #expect(library.hashed == 1 && library.count == 3)
        let plain = try MusicLibrary(folder: music, index: nil)
        #expect(plain.hashed == 3)
        for name in ["夜/abc.ogg", "b.ogg", "夜/c.ogg"] {
            let id = try Track(ofFile: "\(music)/\(name)").id
            #expect(try #require(library[id]) == #require(plain[id]))
        }
    }

    @Test func aChangeOfTheSameSizeAndTimeIsNoticed() throws {
        _ = try hashed()
        let path = "\(music)/b.ogg"
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        var first = stat()
        stat(path, &first)
        // The kernel's clock for files ticks every few milliseconds.
        var now = stat()
        repeat {
            try write("SOUND of b.ogg", to: "b.ogg")
            try FileManager.default.setAttributes([.modificationDate: #require(before)], ofItemAtPath: path)
            stat(path, &now)
        } while now.st_ctim.tv_sec == first.st_ctim.tv_sec && now.st_ctim.tv_nsec == first.st_ctim.tv_nsec
        #expect(try hashed() == 1)
        #expect(try MusicLibrary(folder: music, index: index)[Track(ofFile: path).id] != nil)
    }

    @Test func aDamagedIndexIsRebuilt() throws {
        _ = try hashed()
        let file = try URL(filePath: index.path)
        let good = try Data(contentsOf: file)
        for place in [0, good.count / 3, good.count / 2, good.count - 1] {
            var bad = good
            bad[place] ^= 1
            try bad.write(to: file)
            #expect(try hashed() == 3, "byte \(place)")
            #expect(try hashed() == 0, "byte \(place)")
        }
        for bad in [Data(), good.prefix(good.count / 2), Data("0\n".utf8), good + good] {
            try bad.write(to: file)
            #expect(try hashed() == 3, "\(bad)")
        }
        #expect(try hashed() == 0)
    }

    @Test func withoutACacheTheLibraryIsTheSame() throws {
        #expect(MusicIndex(folder: music, environment: ["HOME": "", "XDG_CACHE_HOME": "relative"]) == nil)
        let index = MusicIndex(folder: music, environment: ["HOME": "/dev/null"])
        #expect(try MusicLibrary(folder: music, index: index).hashed == 3)
        #expect(try MusicLibrary(folder: music, index: index).hashed == 3)
    }

    @Test func linksAndPipesAreNoTrouble() throws {
        try FileManager.default.createSymbolicLink(atPath: "\(music)/dangling", withDestinationPath: "nowhere")
        try FileManager.default.createSymbolicLink(atPath: "\(music)/loop", withDestinationPath: ".")
        try FileManager.default.createSymbolicLink(atPath: "\(music)/a link", withDestinationPath: "b.ogg")
        #expect(mkfifo("\(music)/pipe", 0o600) == 0)
        let library = try MusicLibrary(folder: music, index: index)
        #expect(library.count == 3 && library.hashed == 4)
    }
}
