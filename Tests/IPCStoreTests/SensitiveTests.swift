import CLinux
import Foundation
import Glibc
import IPCModel
import IPCStore
import Testing

/// Sensitive content is only in memory (I14).
@Suite(.serialized) struct SensitiveTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// A text that occurs nowhere else.
    private static func marker() -> String { "marker-" + RequestID.random().text }

    private func put(
        _ items: [PasteboardItem], sensitive: Bool = true, persistent: Bool = true, id: RequestID? = nil,
        in store: Store
    ) async throws -> UInt64 {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            return try transaction.setItems(items, on: board, WriteOptions(id: id, isSensitive: sensitive))
        }
    }

    /// Finds the files in a directory that contain a text or its digest.
    private func files(holding text: String, below directory: String) throws -> [String] {
        let patterns = [Data(text.utf8), Data(ContentDigest(of: Array(text.utf8)).bytes)]
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return try names.filter { name in
            let path = directory + "/" + name
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                return false
            }
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            return patterns.contains { data.range(of: $0) != nil }
        }
    }

    @Test(arguments: [true, false])
    func sensitiveItemIsInNoFile_I14(isSensitive: Bool) async throws {
        let store = try place.open()
        let (marker, added, fulfilled) = (Self.marker(), Self.marker(), Self.marker())
        try await store.put("plain", on: board)
        _ = try await put([.string(marker)], sensitive: isSensitive, id: .random(), in: store)
        _ = try await store.commit { transaction in
            let options = WriteOptions(id: .random(), promises: [[.html]], writer: ":1.1@bus")
            let count = try transaction.addItems([.string(added)], to: board, options)
            let promise = Promise(item: 1, type: .html)
            #expect(try transaction.fulfil(promise, of: board, changeCount: count, with: .text(fulfilled)))
        }
        try await store.commit { try $0.setPersistent(false, of: board) }
        try await store.commit { try $0.setPersistent(true, of: board) }
        _ = try await store.commit { try $0.takeItems(of: board, ReadOptions(id: .random())).content }
        let image = try place.crashImage()
        try await store.close()
        for text in [marker, added, fulfilled] {
            // The control: content that is not sensitive is found in the files after the same steps.
            let found = try files(holding: text, below: place.path)
            #expect(found.isEmpty == isSensitive, "\(found)")
        }
        for configuration in [image, place.configuration()] {
            let again = try Store.open(configuration)
            #expect(try await again.text(of: board) == nil)
            try await again.close()
        }
    }

    @Test(arguments: [true, false])
    func contentIsReturnedOnceAndUnchanged(persistent: Bool) async throws {
        let store = try place.open()
        let items = [
            try PasteboardItem([
                Representation(type: .html, value: .text("<b>ä</b>")),
                Representation(type: try ContentType("Image/PNG;a=b"), value: .bytes([0, 255, 1])),
            ]),
            .data([]), .data(Array(repeating: 7, count: 100_000)),
        ]
        let count = try await put(items, persistent: persistent, in: store)
        let facts = try await store.commit { try $0.facts(of: board) }
        #expect(facts.isSensitive && facts.isOnce && facts.itemCount == 3 && facts.changeCount == count)
        #expect(facts.expiresAt == place.clock.now + 60_000)
        #expect(try await store.commit { try $0.types(of: board) } == items.map(\.types))
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == items && content.facts == facts)
        #expect(content.items[0].types.map(\.text) == items[0].types.map(\.text))
        #expect(try await store.text(of: board) == nil)
        #expect(try await store.commit { $0.usage() }.memoryBytes == 0)
        try await store.close()
    }

    @Test func oneValueIsReadWithItsDigest() async throws {
        let store = try place.open()
        _ = try await put([.string("first"), .string("second")], in: store)
        let (read, facts) = try await store.commit { try $0.representation(1, .utf8PlainText, of: board) }
        #expect(read.value == .text("second") && facts.size == 6)
        #expect(facts.digest == ContentDigest(of: Array("second".utf8)))
        #expect(try await store.text(of: board) == nil)
        try await store.close()
    }

    @Test func sensitiveVersionExpiresAndNeverEntersTheHistory() async throws {
        let store = try place.open()
        let first = try await put([.string("secret")], in: store)
        place.pass(59_999)
        #expect(try await store.commit { try $0.facts(of: board) }.itemCount == 1)
        place.pass(1)
        #expect(try await store.text(of: board) == nil)
        let second = try await put([.string("secret")], in: store)
        try await store.put("plain", on: board)
        for count in [first, second] {
            await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
                try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
            }
        }
        // A time-to-live below 60 s applies; a longer one is shortened to 60 s.
        for (asked, given) in [(5, 5), (3_600_000, 60_000)] as [(UInt64, UInt64)] {
            _ = try await store.commit {
                try $0.setItems([.string("s")], on: board, WriteOptions(timeToLive: asked, isSensitive: true))
            }
            #expect(try await store.commit { $0.nextExpiry } == place.uptime.now + given)
        }
        try await store.close()
    }

    @Test func hintOfAPasswordManagerMakesTheVersionSensitive() async throws {
        let store = try place.open()
        let hint = try ContentType("x-kde-passwordManagerHint")
        let marked = try PasteboardItem([
            Representation(type: .utf8PlainText, value: .text("secret")),
            Representation(type: hint, value: .bytes(Array("secret".utf8))),
        ])
        _ = try await put([.string("x"), marked], sensitive: false, in: store)
        #expect(try await store.commit { try $0.facts(of: board) }.isSensitive)
        _ = try await put([.string("x")], sensitive: false, in: store)
        #expect(try await store.commit { try $0.facts(of: board) }.isSensitive == false)
        try await store.close()
    }

    @Test func addingItemsKeepsTheStricterSettings() async throws {
        let store = try place.open()
        _ = try await put([.string("secret")], in: store)
        place.pass(20_000)
        _ = try await store.commit { try $0.addItems([.string("plain")], to: board) }
        var facts = try await store.commit { try $0.facts(of: board) }
        #expect(facts.isSensitive && facts.itemCount == 2)
        #expect(try await store.commit { $0.nextExpiry } == place.uptime.now + 40_000)
        _ = try await put([.string("plain")], sensitive: false, in: store)
        _ = try await store.commit {
            try $0.addItems([.string("secret")], to: board, WriteOptions(isSensitive: true))
        }
        facts = try await store.commit { try $0.facts(of: board) }
        #expect(facts.isSensitive && facts.itemCount == 2)
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == [.string("plain"), .string("secret")])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func secretIsAddedToLargeValuesOnlyInMemory(persistent: Bool) async throws {
        let store = try place.open()
        let bytes = ValueFile.pattern(200_000)
        let secret = WriteOptions(isSensitive: true)
        let count = try await store.put([ValueFile.sealed.item(bytes)], on: board, persistent: persistent)
        guard persistent else {
            _ = try await store.commit { try $0.addItems([.string("secret")], to: board, secret) }
            #expect(try await store.commit { try $0.facts(of: board) }.isSensitive)
            let items = try await store.commit { try $0.items(of: board).items }
            #expect(items.count == 2 && items[1] == .string("secret"))
            #expect(try items[0].firstBytes == bytes)
            return try await store.close()
        }
        let error = await #expect(throws: IPCError.self) {
            try await store.commit { try $0.addItems([.string("secret")], to: board, secret) }
        }
        #expect(error?.code == .invalidArguments)
        #expect(try await store.commit { try $0.facts(of: board).changeCount } == count)
        // The control: adding plain content works, and so does replacing everything with the secret.
        _ = try await store.commit { try $0.addItems([.string("plain")], to: board) }
        _ = try await store.commit { try $0.setItems([.string("secret")], on: board, secret) }
        #expect(try await store.text(of: board) == "secret")
        try await store.close()
    }

    @Test func repeatedCallHasOneEffect_I10() async throws {
        let store = try place.open()
        let id = RequestID.random()
        let count = try await put([.string("secret")], id: id, in: store)
        #expect(try await put([.string("secret")], id: id, in: store) == count)
        await #expect(throws: PasteboardError.identifierReused(id)) {
            try await put([.string("secret")], sensitive: false, id: id, in: store)
        }
        let take = ReadOptions(id: .random())
        let taken = try await store.commit { try $0.takeItems(of: board, take).content.items }
        #expect(taken == [.string("secret")])
        try await store.put("next", on: board)
        #expect(try await store.commit { try $0.takeItems(of: board, take).content.items } == taken)
        place.pass(60_000)
        await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
            try await store.commit { try $0.takeItems(of: board, take).content.items }
        }
        #expect(try await store.text(of: board) == "next")
        try await store.close()
    }

    @Test func failedOperationIsRolledBack_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        let count = try await put([.string("kept")], in: store)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                #expect(try transaction.items(of: board).items == [.string("kept")])
                _ = try transaction.setItems([.string("never")], on: board, WriteOptions(isSensitive: true))
                throw Refusal()
            }
        }
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == [.string("kept")] && content.facts.changeCount == count)
        #expect(try await store.commit { $0.usage() }.total.bytes == 0)
        try await store.close()
    }

    @Test func movedPasteboardKeepsTheSecretInMemory() async throws {
        let store = try place.open()
        let count = try await put([.string("secret")], persistent: false, in: store)
        for persistent in [true, false, true] {
            try await store.commit { try $0.setPersistent(persistent, of: board) }
            let facts = try await store.commit { try $0.facts(of: board) }
            #expect(facts.changeCount == count && facts.byteCount == 6)
            #expect(try await store.commit { $0.usage() }.memoryBytes == 6)
        }
        #expect(try await store.text(of: board) == "secret")
        try await store.close()
    }

    @Test func valueInAFileIsKeptUnchanged() async throws {
        let store = try place.open()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try place.write(bytes, to: place.path + "/value")
        let file = ContentFile(owning: Glibc.open(place.path + "/value", O_RDONLY))
        let item = try PasteboardItem([Representation(type: .png, value: .file(file))])
        let taken = try await store.intake.take([item], persistent: false, sensitive: true)
        // The store does not accept a file that its intake has not checked.
        await #expect(throws: IntakeOutdated.self) { _ = try await put([item], in: store) }
        _ = try await put(taken, in: store)
        let read = try await store.commit { try $0.items(of: board).items }
        guard case .file(let copy)? = read.first?.representations.first?.value else {
            Issue.record("no file")
            return
        }
        #expect(copy !== file && copy.descriptor != file.descriptor)
        #expect(try copy.withBytes { Array($0) } == bytes)
        try await store.close()
    }

    @Test func memoryIsLockedAndExcludedFromDumps_I14() throws {
        var memory: LockedMemory? = try LockedMemory(byteCount: 5_000) { $0.copyBytes(from: Array("secret".utf8)) }
        let address = try #require(memory?.bytes.baseAddress)
        #expect(memory.map { String(decoding: $0.bytes.prefix(6), as: UTF8.self) } == "secret")
        let flags = try Self.flags(of: address)
        #expect(flags.contains("dd") && flags.contains("dc"))
        // The system limits how much memory a user may lock. Expect locking only if the limit (8 is `RLIMIT_MEMLOCK`)
        // allows it.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(8), &limit)
        if geteuid() == 0 || limit.rlim_cur > 1 << 20 { #expect(flags.contains("lo")) }
        #expect(clinux_may_be_dumped() == 0)
        // The control: ordinary memory is not excluded from dumps.
        let other = UnsafeMutableRawPointer.allocate(byteCount: 5_000, alignment: 16)
        #expect(try !Self.flags(of: UnsafeRawPointer(other)).contains("dd"))
        other.deallocate()
        memory = nil
        #expect(try !Self.flags(of: address).contains("dd"))
    }

    /// The flags of the mapping that contains an address, as named in `/proc/self/smaps`.
    private static func flags(of address: UnsafeRawPointer) throws -> [String] {
        var holds = false
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("VmFlags:"), holds { return line.dropFirst(8).split(separator: " ").map(String.init) }
            let range = line.prefix { $0 != " " }.split(separator: "-")
            guard range.count == 2, let first = UInt(range[0], radix: 16), let last = UInt(range[1], radix: 16) else {
                continue
            }
            holds = (first..<last).contains(UInt(bitPattern: address))
        }
        return []
    }
}
