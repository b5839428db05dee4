import Foundation
import IPCModel
import IPCStore
import Testing

/// Blobs without a row, as a crash at any step leaves them, and blobs with a row, which must not be removed.
@Suite(.serialized) struct OrphanTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let kept = PasteboardName.named("kept")
    let bytes = ValueFile.pattern(100_000)

    init() throws { place = try TestPlace() }

    /// Opens the files that a crash has left, and checks that one blob is gone and the referenced one is there.
    private func expectSwept(
        _ image: StoreConfiguration, removed: Int, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try Store.open(image)
        #expect(try await store.swept().removed == removed, sourceLocation: location)
        #expect(try await store.blobs().count == 1, sourceLocation: location)
        let items = try await store.commit { try $0.items(of: kept).items }
        #expect(try items[0].firstBytes == bytes, sourceLocation: location)
        try await store.close()
    }

    @Test func filesOfAMissingDatabaseAreKept_I5() async throws {
        let store = try await openWithKept()
        let names = try await store.blobs()
        let image = try place.crashImage()
        try await store.close()
        for file in ["store.sqlite", "store.sqlite-wal"] {
            try FileManager.default.removeItem(atPath: image.directory + "/" + file)
        }
        let next = try Store.open(image)
        let swept = try await next.swept()
        #expect(swept.removed == 0 && swept.putAside == 1)
        let folder = image.directory + "/store.sqlite.damaged-\(place.clock.now)-blobs"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == names)
        try await next.close()
    }

    private func openWithKept() async throws -> Store {
        let store = try place.open()
        try await store.put([ValueFile.sealed.item(bytes)], on: kept, persistent: true)
        return store
    }

    @Test func crashBeforeTheRename_I2() async throws {
        let store = try await openWithKept()
        let taken = try await store.intake.take([ValueFile.sealed.item(bytes)], persistent: true, sensitive: false)
        let image = try place.crashImage()
        #expect(taken.count == 1)
        try await expectSwept(image, removed: 1)
        try await store.close()
    }

    @Test func crashBetweenRenameAndCommit_I2() async throws {
        let store = try await openWithKept()
        let written = [ValueFile.sealed.item(bytes)]
        let image = try await store.withIntake(of: written, on: board, persistent: true) { items in
            try await store.commit { transaction in
                _ = try transaction.createPasteboard(board, persistent: true)
                _ = try transaction.setItems(items, on: board)
                return try place.crashImage()
            }
        }
        try await expectSwept(image, removed: 1)
        // The control: if the crash comes after the commit, both blobs stay.
        let after = try Store.open(place.crashImage("after"))
        #expect(try await after.swept().removed == 0)
        #expect(try await after.blobs().count == 2)
        try await after.close()
        try await store.close()
    }

    @Test func crashBetweenCommitAndRemoval_I1() async throws {
        let store = try await openWithKept()
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        let image = place.path + "/image"
        try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: store.directory + "/blobs", toPath: image + "/blobs")
        try await store.commit { _ = try $0.removePasteboard(board) }
        try await expectSwept(place.crashImage(), removed: 1)
        try await store.close()
    }

    @Test func closingWaitsForASlowRemoval_I1() async throws {
        // Each removal takes longer than a worker thread waits before it assumes that a job hangs.
        let store = try place.open { $0.willRemove = { usleep(800_000) } }
        try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
        try await store.commit { _ = try $0.removePasteboard(board) }
        try await store.removals()
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.directory + "/blobs").isEmpty)
        try await store.close()
    }

    @Test func foreignFilesStay() async throws {
        var store = try await openWithKept()
        try await store.close()
        let names = ["README", "incoming-", "incoming-x", "0000FFFFFFFFFFFF", "ffffffffffffffff", "00ff"]
        for name in names { try place.write([1], to: place.store + "/blobs/" + name) }
        try place.write([1], to: place.store + "/blobs/incoming-7")
        try place.write([1], to: place.store + "/blobs/" + BlobName.unused)
        store = try place.open()
        let report = try await store.swept()
        #expect(report.unknown.sorted() == names.sorted() && report.removed == 2)
        #expect(try await store.blobs(waiting: 2).count == names.count + 1)
        try await store.close()
    }

    @Test func sweepRemovesNoFileOfAConcurrentWriter_I1() async throws {
        var store = try await openWithKept()
        try await store.close()
        for number in 0..<1_000 {
            try place.write([1], to: place.store + "/blobs/" + String(format: "0000fffffffff%03x", number))
        }
        store = try place.open()
        // Writers and deleters continue while the sweep runs.
        for round in 0..<30 {
            try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: true)
            let items = try await store.commit { try $0.items(of: board).items }
            #expect(try items[0].firstBytes == bytes, "\(round)")
        }
        #expect(try await store.swept().removed == 1_000)
        #expect(try await store.blobs().count == 3)
        try await store.close()
    }

    @Test func folderThatIsNotADirectoryIsRejected() async throws {
        let store = try place.open()
        try await store.close()
        let blobs = place.store + "/blobs"
        try FileManager.default.removeItem(atPath: blobs)
        try FileManager.default.createSymbolicLink(atPath: blobs, withDestinationPath: place.path)
        #expect(throws: StoreError.self) { try place.open() }
        try FileManager.default.removeItem(atPath: blobs)
        try await place.open().close()
    }
}
