import Foundation
import Glibc
import IPCModel
import Testing

@testable import IPCStore

/// Values that are files, from intake to removal.
@Suite(.serialized) struct LargeValueTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    static let sizes = [0, 1, 65_535, 65_536, 65_537, 1 << 20, 64 << 20]

    @Test(arguments: ValueFile.allCases, sizes)
    func valueComesBackByteForByte(kind: ValueFile, size: Int) async throws {
        var store = try place.open()
        let bytes = ValueFile.pattern(size)
        for persistent in [true, false] {
            let name = PasteboardName.named(persistent ? "disk" : "memory")
            try await store.put([kind.item(bytes)], on: name, persistent: persistent)
            try await expect(bytes, on: name, in: store)
            #expect(try await store.blobs().count == (size > 65_536 ? 1 : 0))
        }
        try await store.close()
        store = try place.open()
        try await expect(bytes, on: .named("disk"), in: store)
        #expect(try await store.swept() == SweepReport())
        try await store.close()
    }

    private func expect(_ bytes: [UInt8], on name: PasteboardName, in store: Store) async throws {
        let (items, one) = try await store.commit {
            (try $0.items(of: name).items, try $0.representation(0, .octetStream, of: name))
        }
        #expect(try items.count == 1 && items[0].firstBytes == bytes)
        #expect(one.facts.size == UInt64(bytes.count) && one.facts.digest == ContentDigest(of: bytes))
        // A value is returned as a file only if it is too large to travel inline. The caller cannot write to the file.
        #expect((items[0].firstFile != nil) == (bytes.count > 65_536))
        if let file = items[0].firstFile, case .file(let other) = one.representation.value {
            #expect(file.descriptor != other.descriptor && fcntl(file.descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
            #expect(try ContentDigest(of: Representation.Value.file(file)) == ContentDigest(of: file))
        }
    }

    @Test func onlyTheUserCanReadTheFiles() async throws {
        let store = try place.open()
        try await store.put([ValueFile.regular.item(ValueFile.pattern(100_000))], on: board, persistent: true)
        let name = try #require(try await store.blobs().first)
        var (folder, file) = (stat(), stat())
        #expect(stat(place.store + "/blobs", &folder) == 0 && folder.st_mode & 0o777 == 0o700)
        #expect(stat(place.store + "/blobs/" + name, &file) == 0 && file.st_mode & 0o777 == 0o400)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func filesLiveAsLongAsTheirRows(persistent: Bool) async throws {
        let store = try place.open()
        let bytes = (0..<5).map { ValueFile.pattern(70_000 + $0, seed: UInt64($0)) }
        try await store.put([ValueFile.sealed.item(bytes[0])], on: board, persistent: persistent)
        // Added items share the content of the previous version: nothing is copied.
        try await store.withIntake(of: [ValueFile.unsealed.item(bytes[1])], on: board) { items in
            _ = try await store.commit { try $0.addItems(items, to: board) }
        }
        try await expectKept(2, store, persistent)
        let all = try await store.commit { try $0.items(of: board).items }
        #expect(try all.map { try $0.firstBytes } == [bytes[0], bytes[1]])
        // One earlier version is kept. Content is removed together with the last version that uses it.
        try await store.put([ValueFile.sealed.item(bytes[2])], on: board, persistent: persistent)
        try await expectKept(3, store, persistent)
        try await store.put([ValueFile.regular.item(bytes[3])], on: board, persistent: persistent)
        try await expectKept(2, store, persistent)
        // Content that was taken by a call with an id is kept, in case the caller repeats that call.
        let options = ReadOptions(id: .random())
        let taken = try await store.commit { try $0.takeItems(of: board, options).content.items }
        try await store.commit { _ = try $0.removePasteboard(board) }
        try await expectKept(1, store, persistent)
        let again = try await store.commit { try $0.takeItems(of: board, options).content.items }
        #expect(try taken[0].firstBytes == bytes[3] && again[0].firstBytes == bytes[3])
        place.clock.advance(seconds: 700)
        _ = try await store.commit { try $0.clear(.general, WriteOptions(id: .random())) }
        try await expectKept(0, store, persistent)
        try await store.close()
    }

    private func expectKept(
        _ count: Int, _ store: Store, _ persistent: Bool, at location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await store.blobs().count == (persistent ? count : 0), sourceLocation: location)
        #expect(store.statistics.snapshot.memoryFiles == (persistent ? 0 : count), sourceLocation: location)
    }

    @Test(arguments: [true, false])
    func failedOperationKeepsNoFile_I2(persistent: Bool) async throws {
        let store = try place.open()
        let bytes = ValueFile.pattern(100_000)
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: persistent)
        let taken = try await store.intake.take(
            [ValueFile.regular.item(ValueFile.pattern(90_000))], persistent: persistent, sensitive: false)
        struct Unwanted: Error {}
        for _ in 0..<2 {
            await #expect(throws: Unwanted.self) {
                try await store.commit { transaction in
                    _ = try transaction.setItems(taken, on: board)
                    try transaction.setHistoryLimit(0, of: board)
                    throw Unwanted()
                }
            }
            let kept = try await store.commit { try $0.items(of: board).items }
            #expect(try kept[0].firstBytes == bytes)
        }
        // After the failed attempts, the files can still be used, but only once.
        _ = try await store.commit { try $0.setItems(taken, on: board) }
        let now = try await store.commit { try $0.items(of: board).items }
        #expect(try now[0].firstBytes == ValueFile.pattern(90_000))
        if persistent {
            await #expect(throws: IntakeOutdated.self) { try await store.commit { try $0.setItems(taken, on: board) } }
        }
        try await store.close()
    }

    @Test func descriptorsInMemoryAreLimited() async throws {
        let store = try place.open { $0.limits.descriptors = 2 }
        let bytes = (0..<3).map { ValueFile.pattern(70_000 + $0, seed: UInt64($0)) }
        let names = ["a", "b", "c"].map(PasteboardName.named)
        for (name, bytes) in zip(names, bytes).prefix(2) {
            try await store.put([ValueFile.sealed.item(bytes)], on: name, persistent: false)
        }
        await #expect(throws: LimitExceeded(limit: "descriptors", use: 2, request: 1, allowed: 2)) {
            try await store.put([ValueFile.sealed.item(bytes[2])], on: names[2], persistent: false)
        }
        // The number of files on disk is not limited. In memory, removing a pasteboard makes room for another file.
        try await store.put([ValueFile.sealed.item(bytes[2])], on: .named("disk"), persistent: true)
        try await store.commit { _ = try $0.removePasteboard(names[0]) }
        try await store.put([ValueFile.sealed.item(bytes[2])], on: names[2], persistent: false)
        #expect(store.statistics.snapshot.memoryFiles == 2)
        #expect(try await store.commit { try $0.items(of: names[2]).items[0].firstBytes } == bytes[2])
        try await store.close()
    }

    @Test func unusedFilesAreRemoved() async throws {
        let store = try place.open()
        var taken = try await store.intake.take(
            [ValueFile.regular.item(ValueFile.pattern(90_000))], persistent: true, sensitive: false)
        #expect(try await store.blobs(waiting: 1).count == 1 && taken.count == 1)
        taken = []
        #expect(try await store.blobs().isEmpty)
        try await store.close()
    }

    @Test func fileWithoutIntakeIsRejected() async throws {
        let store = try place.open()
        try await store.put("small", on: board)
        let item = ValueFile.sealed.item(ValueFile.pattern(100_000))
        await #expect(throws: IntakeOutdated.self) { try await store.commit { try $0.setItems([item], on: board) } }
        #expect(try await store.text(of: board) == "small")
        try await store.close()
    }

    @Test func sensitiveFilesAreNotOnTheDisk_I14() async throws {
        let store = try place.open()
        for kind in ValueFile.allCases {
            let taken = try await store.intake.take(
                [kind.item(ValueFile.pattern(100_000))], persistent: true, sensitive: true)
            #expect(taken[0].firstFile?.taken?.place == .memory)
            #expect(try taken[0].firstBytes == ValueFile.pattern(100_000))
            #expect(try await store.blobs().isEmpty)
        }
        // The control: files that are not sensitive do become blobs.
        let taken = try await store.intake.take(
            [ValueFile.sealed.item(ValueFile.pattern(100_000))], persistent: true, sensitive: false)
        #expect(try await store.blobs(waiting: 1).count == taken.count)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func smallTextInAFileBecomesText(persistent: Bool) async throws {
        let store = try place.open()
        for kind in ValueFile.allCases {
            for (bytes, type, isText) in [
                (Array("näh".utf8), .utf8PlainText, true), (Array("{}".utf8), .html, true),
                (Array("a\0b".utf8), .utf8PlainText, false), ([0xFF], .plainText, false),
                (Array("text".utf8), .octetStream, false),
            ] as [([UInt8], ContentType, Bool)] {
                let taken = try await store.intake.take(
                    [kind.item(bytes, type: type)], persistent: persistent, sensitive: false)
                let value = try #require(taken.first?.representations.first?.value)
                #expect(value == (isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)))
            }
        }
        try await store.close()
    }

    @Test func sealedFileIsKeptWithoutACopy() async throws {
        let store = try place.open()
        let inode = { (file: ContentFile) in
            var status = stat()
            fstat(file.descriptor, &status)
            return status.st_ino
        }
        for kind in ValueFile.allCases {
            let file = kind.make(ValueFile.pattern(100_000))
            try await store.put([.file(file)], on: board, persistent: false)
            let kept = try #require(try await store.commit { try $0.items(of: board).items[0].firstFile })
            #expect((inode(kept) == inode(file)) == (kind == .sealed))
        }
        try await store.close()
    }

    @Test func versionMustFitInAMessage() async throws {
        let store = try place.open()
        let large = (0..<17).map { _ in ValueFile.sealed.item(ValueFile.pattern(2 << 20)) }
        try await store.put(Array(large.prefix(16)), on: board, persistent: false)
        // A message can carry 16 descriptors. A seventeenth large value travels inline as long as there is room.
        try await store.put(large, on: board, persistent: false)
        let many = (0..<25).map { _ in ValueFile.sealed.item(ValueFile.pattern(2 << 20)) }
        let error = await #expect(throws: LimitExceeded.self) {
            try await store.put(many, on: board, persistent: false)
        }
        #expect(
            error == LimitExceeded(limit: "descriptors-per-message", use: 0, request: 25, allowed: 16))
        let added = await #expect(throws: LimitExceeded.self) {
            try await store.withIntake(of: Array(many.prefix(8)), on: board) { items in
                _ = try await store.commit { try $0.addItems(items, to: board) }
            }
        }
        #expect(
            added == LimitExceeded(limit: "descriptors-per-message", use: 17, request: 8, allowed: 16))
        try await store.close()
    }
}
