import Foundation
import IPCModel
import Testing

@testable import IPCStore

@Suite(.serialized) struct FormatTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    /// Bytes 60 to 63 of a database are its `user_version`, 68 to 71 its `application_id`.
    private func patch(_ offset: Int, _ bytes: [UInt8]) throws {
        var file = try place.bytes(place.database)
        file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        try place.write(file, to: place.database)
    }

    @Test func newerStoreIsRejectedAndLeftUnchanged_I25() async throws {
        let store = try place.open()
        try await store.put("hello", on: .named("a"))
        try await store.close()
        try patch(60, [0, 0, 0, 99])
        let before = try place.bytes(place.database)
        let error = #expect(throws: StoreError.self) { try place.open() }
        #expect(error == .newer(file: place.database, version: 99, supported: 2))
        #expect(try place.bytes(place.database) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.store).sorted()
        #expect(files == ["blobs", "lock", "store.sqlite"])
        // The control: once the file's version number is restored, the store can be opened.
        try patch(60, [0, 0, 0, 2])
        let again = try place.open()
        #expect(try await again.text(of: .named("a")) == "hello")
        try await again.close()
    }

    @Test func newerVersionOnlyInTheLogIsDetected_I25() async throws {
        let store = try place.open()
        try await store.put("hello", on: .named("a"))
        try await store.close()
        let image = try newerLog()
        let file = image.directory + "/store.sqlite-wal"
        let log = try place.bytes(file)
        let before = try place.bytes(image.directory + "/store.sqlite")
        #expect(throws: StoreError.self) { try Store.open(image) }
        #expect(try place.bytes(file) == log)
        #expect(try place.bytes(image.directory + "/store.sqlite") == before)
        // Without its database, the log is left untouched too.
        try FileManager.default.removeItem(atPath: image.directory + "/store.sqlite")
        let error = #expect(throws: StoreError.self) { try Store.open(image) }
        #expect(error == .newer(file: image.directory + "/store.sqlite", version: 77, supported: 2))
        #expect(try place.bytes(file) == log)
    }

    /// Copies the store with a log in which a newer broker has set its version.
    private func newerLog() throws -> StoreConfiguration {
        let database = try Database(place.database)
        try database.execute("PRAGMA locking_mode = exclusive")
        try database.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
        try database.execute("PRAGMA user_version = 77")
        defer { try? database.close() }
        return try place.crashImage()
    }

    /// A power failure can leave the header of a frame without its page. Whatever is in its place is not a version.
    @Test func tornCopyOfTheFirstPageInTheLogIsIgnored_I1() async throws {
        let store = try place.open()
        try await store.put("hello", on: .named("a"))
        try await store.close()
        let image = try newerLog()
        let file = image.directory + "/store.sqlite-wal"
        var log = try place.bytes(file)
        // “Database File Format” §4.1: the log has a header of 32 bytes, then frames of 24 bytes and a page.
        try #require(log.count == 32 + 24 + 4_096 && log[32..<36].elementsEqual([0, 0, 0, 1]))
        log.replaceSubrange((32 + 24 + 512)..., with: [UInt8](repeating: 0, count: 4_096 - 512))
        try place.write(log, to: file)
        let again = try Store.open(image)
        #expect(again.report.quarantine == nil)
        #expect(try await again.text(of: .named("a")) == "hello")
        try await again.close()
    }

    @Test func databaseOfAnotherProgramIsRejectedAndLeftUnchanged() async throws {
        try await place.open().close()
        try patch(68, [1, 2, 3, 4])
        let before = try place.bytes(place.database)
        #expect(throws: StoreError.foreign(file: place.database)) { try place.open() }
        #expect(try place.bytes(place.database) == before)
    }

    @Test(arguments: ["delete", "wal"])
    func databaseWithoutAnyMarkIsRejectedAndLeftUnchanged(mode: String) throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        let script = """
            import sqlite3, sys
            notes = sqlite3.connect(sys.argv[1])
            notes.execute("PRAGMA journal_mode=\(mode)")
            notes.execute("CREATE TABLE notes (text TEXT)")
            notes.close()
            """
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"), arguments: ["python3", "-c", script, place.database])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let before = try place.bytes(place.database)
        #expect(throws: StoreError.foreign(file: place.database)) { try place.open() }
        #expect(try place.bytes(place.database) == before)
    }

    @Test func logOfAnotherStoreDoesNotChangeTheDamagedFile_I5() async throws {
        for name in ["a", "b", "c"] {
            let other = try Store.open(place.configuration(place.path + "/other"))
            try await other.put(String(repeating: name, count: 9_000), on: .named(name))
            if name == "c" { _ = try place.crashImage(of: other.directory, "killed") }
            try await other.close()
        }
        try await place.open().close()
        let before = try place.bytes(place.database)
        let log = try place.bytes(place.path + "/killed/store.sqlite-wal")
        try place.write(log, to: place.database + "-wal")
        let store = try place.open()
        let quarantine = try #require(store.report.quarantine)
        #expect(try place.bytes(quarantine) == before)
        #expect(try place.bytes(quarantine + "-wal") == log)
        try await store.close()
    }

    @Test func fileThatIsNotADatabaseIsQuarantinedAndKept_I5() async throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        let rubbish = Array("this is not a database, but somebody's only copy of something".utf8)
        try place.write(rubbish, to: place.database)
        let store = try place.open()
        let quarantine = try #require(store.report.quarantine)
        #expect(try place.bytes(quarantine) == rubbish)
        try await store.put("hello", on: .named("a"))
        #expect(try await store.text(of: .named("a")) == "hello")
        try await store.close()
    }

    @Test func storeOfTheFirstVersionIsRead() async throws {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/version-1.sqlite").path
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: fixture, toPath: place.database)
        let store = try place.open()
        #expect(store.report.quarantine == nil && store.report.wasClean)
        try await FixtureContent.expect(in: store)
        try await store.close()
    }

    /// Writes the fixture for a version that has none yet.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STORE_FIXTURE"] != nil))
    func writeFixture() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["STORE_FIXTURE"])
        let store = try place.open()
        try await FixtureContent.write(to: store)
        try await store.close()
        try FileManager.default.copyItem(atPath: place.database, toPath: path)
    }
}
