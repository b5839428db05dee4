import Foundation
import Glibc
import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct OpeningTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func onlyTheUserCanAccessTheDirectoryAndFiles() async throws {
        let store = try place.open()
        try await store.put("hello", on: .named("a"))
        #expect(try mode(place.store) == 0o700)
        for file in ["store.sqlite", "store.sqlite-wal", "lock"] {
            #expect(try mode(place.store + "/" + file) == 0o600, "\(file)")
        }
        try await store.close()
    }

    @Test func directoryThatOthersCanEnterIsMadePrivate() async throws {
        try FileManager.default.createDirectory(
            atPath: place.store, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try await place.open().close()
        #expect(try mode(place.store) == 0o700)
    }

    @Test func parentDirectoriesAreCreated() async throws {
        let store = try Store.open(place.configuration(place.path + "/x/y/z"))
        try await store.close()
        #expect(try mode(place.path + "/x") == 0o700)
    }

    @Test(arguments: ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal", "lock"])
    func linkInTheDirectoryIsRefusedAndNotFollowed(file: String) throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        let target = place.path + "/target"
        try place.write(Array("precious".utf8), to: target)
        try FileManager.default.createSymbolicLink(atPath: place.store + "/" + file, withDestinationPath: target)
        #expect(throws: StoreError.self) { try place.open() }
        #expect(try place.bytes(target) == Array("precious".utf8))
    }

    @Test(arguments: ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal", "lock"])
    func fifoInTheDirectoryIsRefusedAndNotWaitedFor(file: String) throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        #expect(mkfifo(place.store + "/" + file, 0o600) == 0)
        #expect(throws: StoreError.self) { try place.open() }
    }

    @Test func pathThatIsTooLongForSQLiteIsRefusedWithTheReason() throws {
        let path = place.path + String(repeating: "/" + String(repeating: "d", count: 100), count: 5)
        let error = #expect(throws: StoreError.self) { try Store.open(place.configuration(path)) }
        #expect(error?.description.contains("longer than") == true)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/" + String(repeating: "d", count: 100)))
    }

    @Test func linkToADirectoryIsRefused() throws {
        try FileManager.default.createDirectory(atPath: place.path + "/real", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: place.store, withDestinationPath: place.path + "/real")
        #expect(throws: StoreError.self) { try place.open() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func directoryOfAnotherUserIsRejected() throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        #expect(chown(place.store, 12_345, 12_345) == 0)
        let error = #expect(throws: StoreError.self) { try place.open() }
        #expect(error?.description.contains("12345") == true)
    }

    @Test func secondOpenerLearnsWhichProcessHoldsTheStore() async throws {
        let store = try place.open()
        #expect(throws: StoreError.inUse(directory: place.store, holder: "this process")) { try place.open() }
        #expect(try String(decoding: place.bytes(place.store + "/lock"), as: UTF8.self) == "\(getpid())\n")
        try await store.close()
        try await place.open().close()
    }

    @Test func anotherProcessIsNamed() throws {
        try FileManager.default.createDirectory(atPath: place.store, withIntermediateDirectories: false)
        let lock = open(place.store + "/lock", O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect("1\n".withCString { pwrite(lock, $0, 2, 0) } == 2)
        let error = #expect(throws: StoreError.self) { try place.open() }
        #expect(error?.description.contains("process 1 (") == true)
    }

    @Test func closedStoreAcceptsNothing() async throws {
        let store = try place.open()
        try await store.close()
        await #expect(throws: StoreError.unavailable) { try await store.put("late", on: .named("a")) }
    }

    @Test func releasedStoreFreesItsLock() async throws {
        var store: Store? = try place.open()
        try await store?.put("hello", on: .named("a"))
        store = nil
        let again = try await reopen()
        #expect(try await again.text(of: .named("a")) == "hello")
        try await again.close()
    }

    /// Opens the store again, once the thread of the released store has exited by itself.
    private func reopen() async throws -> Store {
        while true {
            do {
                return try place.open()
            } catch StoreError.inUse {
                await Task.yield()
            }
        }
    }

    @Test func onlyACloseIsACleanStop() async throws {
        var store = try place.open()
        #expect(store.report.wasClean)
        let image = try place.crashImage()
        try await store.close()
        store = try place.open()
        #expect(store.report.wasClean)
        try await store.close()
        let crashed = try Store.open(image)
        #expect(!crashed.report.wasClean)
        #expect(crashed.report.quarantine == nil)
        try await crashed.close()
    }

    @Test func logIsEmptiedOnClose() async throws {
        let store = try place.open()
        try await store.put("hello", on: .named("a"))
        try await store.close()
        #expect(!FileManager.default.fileExists(atPath: place.database + "-wal"))
    }
}
