import Foundation
import Glibc
import IPCModel
import IPCStore
import Testing

/// Blobs in which a bit is flipped, or that are replaced by something else, such as a folder or a pipe (I5).
@Suite(.serialized) struct BlobDamageTests {
    let place: TestPlace
    let hit = PasteboardName.named("hit")
    let safe = PasteboardName.named("safe")

    init() throws { place = try TestPlace() }

    private func write(_ size: Int) async throws -> (store: Store, blob: String, count: UInt64) {
        let store = try place.open()
        let count = try await store.put([ValueFile.sealed.item(ValueFile.pattern(size))], on: hit, persistent: true)
        let blob = try #require(try await store.blobs().first)
        try await store.put([ValueFile.sealed.item(ValueFile.pattern(size, seed: 9))], on: safe, persistent: true)
        return (store, store.directory + "/blobs/" + blob, count)
    }

    private func expectSafe(_ store: Store, _ size: Int) async throws {
        let items = try await store.commit { try $0.items(of: safe).items }
        #expect(try items[0].firstBytes == ValueFile.pattern(size, seed: 9))
        try await store.put([ValueFile.sealed.item(ValueFile.pattern(size))], on: hit, persistent: true)
        #expect(try await store.commit { try $0.items(of: hit).items }[0].firstBytes == ValueFile.pattern(size))
        try await store.close()
    }

    @Test func everyFlippedBitIsDetected_I5() async throws {
        let size = 70_000
        let (store, blob, count) = try await write(size)
        var random = RandomSource(seed: 1)
        for _ in 0..<(ThisProcess.isFullSize ? 2_000 : 100) {
            let (place, bit) = (Int.random(in: 0..<size, using: &random), UInt8.random(in: 0..<8, using: &random))
            try self.place.flip(blob, at: place, bit: bit)
            await #expect(throws: PasteboardError.damaged(hit, count)) {
                try await store.commit { try $0.items(of: hit) }
            }
            try self.place.flip(blob, at: place, bit: bit)
        }
        // The control: once all bits are restored, the pasteboard can be read.
        #expect(try await store.commit { try $0.items(of: hit).items }[0].firstBytes == ValueFile.pattern(size))
        try await expectSafe(store, size)
    }

    @Test func damagedLargeBlobIsDetectedByItsDigest_I5() async throws {
        let size = 1 << 20 + 1
        let (store, blob, _) = try await write(size)
        try place.flip(blob, at: size / 2)
        let (representation, facts) = try await store.commit { try $0.representation(0, .octetStream, of: hit) }
        guard case .file(let file) = representation.value else { throw CancellationError() }
        #expect(facts.digest == ContentDigest(of: ValueFile.pattern(size)))
        #expect(try ContentDigest(of: file) != facts.digest)
        try await expectSafe(store, size)
    }

    /// Possible replacements for a blob.
    enum Change: CaseIterable, Sendable {
        case missing, shorter, longer, empty, link, pipe, folder
    }

    @Test(arguments: Change.allCases, [100_000, 2 << 20])
    func replacedBlobIsDamaged_I5(change: Change, size: Int) async throws {
        let (store, blob, count) = try await write(size)
        switch change {
        case .missing: unlink(blob)
        case .shorter: truncate(blob, size - 1)
        case .longer: truncate(blob, size + 1)
        case .empty: truncate(blob, 0)
        case .link:
            let copy = place.path + "/copy"
            try FileManager.default.copyItem(atPath: blob, toPath: copy)
            unlink(blob)
            symlink(copy, blob)
        case .pipe:
            unlink(blob)
            mkfifo(blob, 0o600)
        case .folder:
            unlink(blob)
            mkdir(blob, 0o700)
        }
        await #expect(throws: PasteboardError.damaged(hit, count)) { try await store.commit { try $0.items(of: hit) } }
        // The information that does not need the file is still available.
        #expect(try await store.commit { try $0.facts(of: hit).byteCount } == UInt64(size))
        try await expectSafe(store, size)
    }

    @Test func salvagedRowsKeepTheirBlobs_I5() async throws {
        var (store, blob, _) = try await write(100_000)
        try await store.close()
        // Damages the SQL definition of a table. SQLite then rejects the file, but the store can repair it and read all
        // rows.
        var file = try place.bytes(place.database)
        let start = try #require(Data(file).range(of: Data("CREATE TABLE removal".utf8))?.lowerBound)
        file[start] ^= 1
        try place.write(file, to: place.database)
        let lost = String(blob.dropLast(16)) + BlobName.unused
        try FileManager.default.copyItem(atPath: blob, toPath: lost)
        store = try place.open()
        let quarantine = try #require(store.report.quarantine)
        let report = try await store.swept()
        #expect(store.report.salvaged?.tablesCutShort == 0, "\(store.report)")
        #expect(report.putAside == 1 && report.removed == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine + "-blobs") == [BlobName.unused])
        #expect(try await store.commit { try $0.items(of: hit).items }[0].firstBytes == ValueFile.pattern(100_000))
        try await expectSafe(store, 100_000)
    }
}

enum BlobName {
    /// The valid name of a blob that has no row.
    static let unused = "0000ffffffffffff"
}

extension TestPlace {
    /// Flips a bit of a file in place.
    func flip(_ file: String, at place: Int, bit: UInt8 = 0) throws {
        chmod(file, 0o600)
        let descriptor = Glibc.open(file, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        guard pread(descriptor, &byte, 1, place) == 1 else { throw CancellationError() }
        byte ^= 1 << bit
        guard pwrite(descriptor, &byte, 1, place) == 1 else { throw CancellationError() }
    }
}
