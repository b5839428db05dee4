import Foundation
import IPCModel
import IPCStore
import Testing

/// A damaged database is replaced completely or not at all.
@Suite(.serialized) struct ReplacementTests {
    let place: TestPlace
    private let board = PasteboardName.named("demo.Board")
    private let damaged = "store.sqlite.damaged-1"

    init() throws { place = try TestPlace() }

    /// The point at which the process exited.
    enum Stage: CaseIterable, Sendable {
        case marked, logMoved, moved, begun, databaseBack, allBack
    }

    @Test(arguments: Stage.allCases)
    func `I1: an interrupted replacement loses nothing`(stage: Stage) async throws {
        let store = try place.open()
        try await store.put("hello", on: board)
        // The crash image has the row only in the log, not yet in the database.
        let image = try place.crashImage()
        try await store.close()
        func file(_ name: String) -> String { image.directory + "/" + name }
        func move(_ old: String, _ new: String) throws {
            try FileManager.default.moveItem(atPath: file(old), toPath: file(new))
        }
        try place.write(Array(damaged.utf8), to: file("store.sqlite.replacing"))
        if [.logMoved, .moved, .begun, .databaseBack].contains(stage) {
            try move("store.sqlite-wal", damaged + "-wal")
        }
        if [.moved, .begun].contains(stage) { try move("store.sqlite", damaged) }
        if stage == .begun {
            let other = try TestPlace()
            let new = try other.open()
            let begun = try other.crashImage()
            try await new.close()
            for name in ["store.sqlite", "store.sqlite-wal"] {
                try FileManager.default.copyItem(atPath: begun.directory + "/" + name, toPath: file(name))
            }
        }
        let again = try Store.open(image)
        #expect(try await again.text(of: board) == "hello")
        #expect(again.report.quarantine == nil)
        try await again.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: image.directory).sorted()
        #expect(files == ["blobs", "lock", "store.sqlite"])
    }

    @Test func `I1: a damaged store whose rows cannot be saved stays unchanged`() async throws {
        let store = try place.open()
        try await store.put("hello", on: board)
        try await store.close()
        var bytes = try place.bytes(place.database)
        bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16))
        try place.write(bytes, to: place.database)
        // A directory has the name of the copy, so the copy cannot be written.
        let copy = place.database + ".salvage"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try place.open() }
        #expect(try place.bytes(place.database) == bytes)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.store).sorted()
        #expect(files == ["blobs", "lock", "store.sqlite", "store.sqlite.salvage"])
        // The control: once the copy can be written, the database is replaced.
        try FileManager.default.removeItem(atPath: copy)
        let again = try place.open()
        #expect(again.report.quarantine != nil)
        try await again.close()
    }

    /// - Parameter isCutOff: whether the first replacement fails, because a directory has the name of its copy.
    @Test(arguments: [false, true])
    func `I1: a log whose database is missing is moved aside and kept`(isCutOff: Bool) async throws {
        let store = try place.open()
        try await store.put("only in the log", on: board)
        let image = try place.crashImage()
        try await store.close()
        let (database, log) = (image.directory + "/store.sqlite", image.directory + "/store.sqlite-wal")
        let written = try place.bytes(log)
        try #require(written.contains("only in the log".utf8))
        try FileManager.default.removeItem(atPath: database)
        if isCutOff {
            let copy = database + ".salvage"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
            #expect(throws: StoreError.self) { try Store.open(image) }
            #expect(try place.bytes(log) == written)
            try FileManager.default.removeItem(atPath: copy)
        }
        let again = try Store.open(image)
        let quarantine = try #require(again.report.quarantine)
        #expect(try place.bytes(quarantine + "-wal") == written)
        try await again.put("new", on: board)
        try await again.close()
        // The control: the new log has its database, so nothing is moved aside this time. The old log stays where it
        // was moved.
        let next = try Store.open(image)
        #expect(next.report.quarantine == nil)
        #expect(try await next.text(of: board) == "new")
        try await next.close()
        #expect(try place.bytes(quarantine + "-wal") == written)
    }
}
