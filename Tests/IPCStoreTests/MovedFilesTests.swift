import Dispatch
import Foundation
import Glibc
import IPCModel
import Synchronization
import Testing

@testable import IPCStore

/// Pasteboards with large values that move between disk and memory.
@Suite(.serialized) struct MovedFilesTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let bytes = ValueFile.pattern(200_000)

    init() throws { place = try TestPlace() }

    private func read(_ store: Store) async throws -> [[UInt8]] {
        try await store.commit { try $0.items(of: board).items }.map { try $0.firstBytes }
    }

    @Test func filesMoveBothWays() async throws {
        var store = try place.open()
        let small = PasteboardItem.string("small")
        for seed: UInt64 in 0...2 {
            let item = ValueFile.sealed.item(ValueFile.pattern(200_000, seed: seed))
            try await store.put([item, small], on: board, persistent: false)
        }
        let earlier = try await store.commit { try $0.pasteboard(board)?.versions[0] }
        for persistent in [true, false, true] {
            try await store.setPersistent(persistent, of: board)
            #expect(try await store.blobs().count == (persistent ? 2 : 0))
            #expect(store.statistics.snapshot.memoryFiles == (persistent ? 0 : 2))
            #expect(try await read(store) == [ValueFile.pattern(200_000, seed: 2), Array("small".utf8)])
        }
        try await store.close()
        store = try place.open()
        let items = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: earlier)).items }
        #expect(try items[0].firstBytes == ValueFile.pattern(200_000, seed: 1))
        try await store.close()
    }

    @Test func lateRemovalKeepsFilesThatMovedBack_I1() async throws {
        let gate = DispatchSemaphore(value: 0)
        let store = try place.open { $0.willRemove = { gate.wait() } }
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        let before = try FileManager.default.contentsOfDirectory(atPath: store.directory + "/blobs")
        try await store.setPersistent(false, of: board)
        try await store.setPersistent(true, of: board)
        // The control: the removal is still pending, so the released content exists too, under another name.
        let meanwhile = try FileManager.default.contentsOfDirectory(atPath: store.directory + "/blobs")
        #expect(meanwhile.count == 2 && meanwhile.contains(before[0]))
        gate.signal()
        #expect(try await store.blobs() == before)
        #expect(try await read(store) == [bytes])
        try await store.close()
    }

    @Test func filesThatMoveBackInTheSameGroupAreRejected_I1() async throws {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        let key = try #require(UInt64(try await store.blobs()[0], radix: 16))
        var moved: [MovedFiles] = []
        for toDisk in [false, true] {
            let items = [ValueFile.sealed.item(bytes)]
            let taken = try await store.intake.take(items, persistent: toDisk, sensitive: false)
            moved.append(MovedFiles(taken: [key: try #require(taken[0].firstFile)]))
        }
        let (toMemory, toDisk) = (moved[0], moved[1])
        // Moving to memory deletes the row on disk. If the group is lost, that row comes back, and still needs its
        // blob.
        await #expect(throws: IntakeOutdated.self) {
            try await store.commit { transaction in
                try transaction.setPersistent(false, of: board, files: toMemory)
                try transaction.setPersistent(true, of: board, files: toDisk)
            }
        }
        // The control: in two groups, the same moves are accepted.
        try await store.commit { try $0.setPersistent(false, of: board, files: toMemory) }
        try await store.commit { try $0.setPersistent(true, of: board, files: toDisk) }
        #expect(try await store.blobs().count == 1)
        #expect(try await read(store) == [bytes])
        try await store.close()
    }

    @Test func heldFilesStayWhereTheyAre() async throws {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        let options = ReadOptions(id: .random())
        _ = try await store.commit { try $0.takeItems(of: board, options).content }
        try await store.setPersistent(false, of: board)
        let again = try await store.commit { try $0.takeItems(of: board, options).content.items }
        #expect(try again[0].firstBytes == bytes)
        try await store.close()
    }

    @Test func filesMustBePreparedBeforeTheMove() async throws {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: false)
        await #expect(throws: IntakeOutdated.self) {
            try await store.commit { try $0.setPersistent(true, of: board) }
        }
        #expect(try await store.commit { try $0.pasteboard(board)?.isPersistent } == false)
        #expect(try await read(store) == [bytes])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func pasteboardThatMovesDuringAnIntakeGetsItsFiles(persistent: Bool) async throws {
        let store = try place.open()
        try await store.put("small", on: board, persistent: persistent)
        let tries = Mutex(0)
        try await store.withIntake(of: [ValueFile.regular.item(bytes)], on: board) { items in
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            if isFirst { try await store.setPersistent(!persistent, of: board) }
            _ = try await store.commit { try $0.setItems(items, on: board) }
        }
        #expect(tries.withLock { $0 } == 2)
        #expect(try await read(store) == [bytes])
        #expect(try await store.blobs().count == (persistent ? 0 : 1))
        try await store.close()
    }

    @Test func unknownPasteboardKeepsNoFile() async throws {
        let store = try place.open()
        await #expect(throws: PasteboardError.noSuchPasteboard(board)) {
            try await store.withIntake(of: [ValueFile.regular.item(bytes)], on: board) { items in
                _ = try await store.commit { try $0.setItems(items, on: board) }
            }
        }
        #expect(try await store.blobs().isEmpty)
        try await store.close()
    }

    /// Sets whose permissions the calling thread uses for files: setfsuid(2), which Swift does not import.
    private static func useFiles(as user: uid_t) {
        typealias Function = @convention(c) (uid_t) -> CInt
        let symbol = dlsym(nil, "setfsuid")
        _ = unsafeBitCast(symbol, to: Function.self)(user)
    }

    @Test func fileThatCannotBeOpenedAtTheMomentIsKept_I1() async throws {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        let path = store.directory + "/blobs/" + (try await store.blobs()[0])
        chmod(path, 0)
        // Permissions do not restrict the superuser, so the store's thread uses another user in the meantime.
        let user = geteuid()
        if user == 0 { try await store.commit { _ in Self.useFiles(as: 65_534) } }
        let error = await #expect(throws: IPCError.self) { try await store.setPersistent(false, of: board) }
        #expect(error?.code == .inputOutput)
        if user == 0 { try await store.commit { _ in Self.useFiles(as: user) } }
        chmod(path, 0o400)
        try await store.setPersistent(false, of: board)
        #expect(try await read(store) == [bytes])
        try await store.close()
    }

    @Test func largeFileWithOtherBytesStaysBehind_I5() async throws {
        let store = try place.open()
        let count = try await store.put(
            [ValueFile.sealed.item(ValueFile.pattern(2 << 20))], on: board, persistent: true)
        try place.flip(store.directory + "/blobs/" + (try await store.blobs()[0]), at: 1 << 20)
        try await store.setPersistent(false, of: board)
        await #expect(throws: PasteboardError.damaged(board, count)) {
            try await store.commit { try $0.items(of: board) }
        }
        try await store.close()
    }

    @Test func damagedFileStaysBehind_I5() async throws {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        try await store.put([ValueFile.sealed.item(ValueFile.pattern(300_000))], on: board, persistent: true)
        let versions = try #require(try await store.commit { try $0.pasteboard(board)?.versions })
        let name = try await store.blobs()[0]
        try place.flip(store.directory + "/blobs/" + name, at: 5)
        try await store.setPersistent(false, of: board)
        #expect(try await read(store) == [ValueFile.pattern(300_000)])
        await #expect(throws: PasteboardError.damaged(board, versions[0])) {
            try await store.commit { try $0.items(of: board, ReadOptions(changeCount: versions[0])) }
        }
        try await store.close()
    }
}
