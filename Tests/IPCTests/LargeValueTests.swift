import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPC

/// Tests of large values that travel over a real connection between an application and a fake broker.
@DBusActor
struct LargeValueTests {
    private let pair: Pair
    private var board: Pasteboard { pair.application.generalPasteboard }
    private var written: [PasteboardItem] { pair.broker.written.last?.items ?? [] }

    init() async throws { pair = try await Pair() }

    private func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
        // Only the first and last bytes have a pattern: other tests wait for the same I/O thread, so this must be fast.
        let pattern = (0..<min(count, 4_099)).map { UInt8(truncatingIfNeeded: ($0 &* 131) ^ ($0 >> 8) &+ seed) }
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: count)
        bytes.replaceSubrange(..<pattern.count, with: pattern)
        bytes.replaceSubrange((count - pattern.count)..., with: pattern)
        return bytes
    }

    /// The form in which a value arrived, or what is wrong with it.
    private func form(_ value: Representation.Value?, _ content: [UInt8]) throws -> String {
        switch value {
        case .text(let text): return Array(text.utf8) == content ? "text" : "wrong text"
        case .bytes(let bytes): return bytes == content ? "bytes" : "wrong bytes"
        case .file(let file):
            guard Descriptor.isSealed(file.descriptor) else { return "unsealed" }
            return try file.bytes() == content ? "sealed" : "wrong file"
        case nil: return "nothing"
        }
    }

    @Test(arguments: [(65_536, "bytes"), (65_537, "sealed"), (1 << 20, "sealed"), (20 << 20, "sealed")])
    func aLargeValueTravelsAsASealedFile(_ size: Int, _ expected: String) async throws {
        let content = bytes(size)
        try await board.setData(content, forPasteboardType: .png)
        #expect(try form(written[0][.png]?.value, content) == expected)
    }

    /// The library sends a digest only with a value above 1 MiB; the broker computes those of smaller ones.
    @Test func theDigestOfALargeValueIsSent() async throws {
        let (large, small) = (bytes(2 << 20), bytes(100_000))
        try await board.setItems([.data(large), .data(small), .string("x")])
        let stated = pair.broker.written[0].options.digests
        #expect(stated == [[try Digest.of(.bytes(large))], [""], [""]])
        try await board.setItems([.data(small)])
        #expect(pair.broker.written[1].options.digests == nil)
    }

    /// An older broker rejects the unknown option, and the library repeats the call without it. Other errors are
    /// thrown.
    @Test func anOlderBrokerIsCalledWithoutDigests() async throws {
        pair.broker.write = { [broker = pair.broker] in
            guard broker.written.last?.options.digests == nil else {
                throw IPCError(.invalidArguments, "unknown option “digests”")
            }
            return 5
        }
        let large = bytes(2 << 20)
        #expect(try await board.setItems([.data(large)]) == 5)
        #expect(pair.broker.written.map { $0.options.digests == nil } == [false, true])
        #expect(try form(written[0][.octetStream]?.value, large) == "sealed")
        #expect(try await board.addItems([.data(large)]) == 5)
        pair.broker.forgetWrites()
        pair.broker.write = { throw IPCError(.invalidArguments, "no") }
        for (size, calls) in [(2 << 20, 2), (100_000, 1)] {
            let error = await #expect(throws: IPCError.self) { try await board.setItems([.data(bytes(size))]) }
            #expect(error?.code == .invalidArguments && pair.broker.written.count == calls)
            pair.broker.forgetWrites()
        }
        pair.broker.write = { throw IPCError(.changeCountMismatch, "no") }
        await #expect(throws: IPCError.self) { try await board.setItems([.data(large)]) }
        #expect(pair.broker.written.count == 1)
    }

    @Test func aLargeTextTravelsAsASealedFileToo() async throws {
        let text = String(repeating: "日本語\n", count: 10_000)
        try await board.setString(text)
        #expect(try form(written[0][.utf8PlainText]?.value, Array(text.utf8)) == "sealed")
        #expect(written[0].types == [.utf8PlainText])
    }

    @Test func atMostSixteenFilesAndTheRestInline() async throws {
        let items = (0..<17).map { PasteboardItem.data(bytes(65_537 + $0, seed: $0)) }
        try await board.setItems(items)
        let forms = try zip(written, items).map {
            try form($0[.octetStream]?.value, $1.representations[0].value.content)
        }
        #expect(forms == ["bytes"] + [String](repeating: "sealed", count: 16))
    }

    @Test func contentThatDoesNotFitIsNotSent() async throws {
        let half = PasteboardItem.data([UInt8](repeating: 7, count: 9 << 20))
        let many = #expect(throws: IPCError.self) {
            try Result { try Limits().messageFit([UInt64](repeating: 9 << 20, count: 18)) }
                .mapError { ($0 as? LimitExceeded)?.ipcError ?? IPCError(.inputOutput, "\($0)") }.get()
        }
        let error = await #expect(throws: IPCError.self) {
            try await board.setItems([PasteboardItem](repeating: half, count: 18))
        }
        #expect(error?.code == .limitExceeded && error == many && pair.broker.written.isEmpty)
        #expect(error?.message.contains("descriptors-per-message") == true)
    }

    @Test func aFileIsPassedUnchanged() async throws {
        let content = bytes(300_000)
        let path = "/tmp/swift-ipc-value-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        #expect(write(file, content, content.count) == content.count)
        close(file)
        defer { unlink(path) }
        try await board.setItems([.file(path: path, type: .jpeg)])
        guard case .file(let sent)? = written[0][.jpeg]?.value else { return #expect(Bool(false), "no file came") }
        #expect(try sent.bytes() == content && !Descriptor.isSealed(sent.descriptor))
        // A small file is sent as bytes; that costs less than a descriptor.
        #expect(truncate(path, 100) == 0)
        try await board.setItems([.file(path: path, type: .jpeg)])
        #expect(try form(written[0][.jpeg]?.value, Array(content.prefix(100))) == "bytes")
    }

    @Test func aSparseFileOf4GiBNeedsNoMemory() async throws {
        let path = "/tmp/swift-ipc-sparse-\(getpid())"
        close(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        defer { unlink(path) }
        #expect(truncate(path, 4 << 30) == 0)
        try await board.setItems([.file(path: path)])
        #expect(written[0].byteCount == 4 << 30)
    }

    /// Runs in a separate process, because other tests in this one have open values too.
    @Test func descriptorsAreClosedWithTheirValues() async {
        await #expect(processExitsWith: .success) { try await Self.writeManyValues() }
    }

    private static func writeManyValues() async throws {
        let tests = try await LargeValueTests()
        let content = tests.bytes(100_000)
        try await tests.board.setData(content, forPasteboardType: .png)
        tests.pair.broker.forgetWrites()
        let base = try descriptorCount()
        for _ in 0..<50 {
            try await tests.board.setData(content, forPasteboardType: .png)
            tests.pair.broker.forgetWrites()
        }
        #expect(try descriptorCount() <= base + 8)
    }

    /// The number of open memory files for values in this process.
    private static func descriptorCount() throws -> Int {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [UInt8](repeating: 0, count: 256)
            let length = target.withUnsafeMutableBytes {
                readlink("/proc/self/fd/\(name)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), 255)
            }
            if length > 0, String(decoding: target.prefix(length), as: UTF8.self).contains("pasteboard-value") {
                count += 1
            }
        }
        return count
    }

    // MARK: Payloads and replies

    @Test func aPayloadThatFitsTravelsInline() async throws {
        let content = bytes(1 << 20)
        _ = try await pair.application.open("x:", sending: [.data(content)])
        #expect(try form(pair.broker.opened[0].options.items?[0][.octetStream]?.value, content) == "bytes")
        let more = bytes(17 << 20)
        _ = try await pair.application.open("x:", sending: [.data(more)])
        #expect(try form(pair.broker.opened[1].options.items?[0][.octetStream]?.value, more) == "sealed")
    }

    // MARK: Reading

    private func sealed(_ content: [UInt8]) throws -> ContentFile {
        try content.withUnsafeBytes {
            ContentFile(owning: try Descriptor.makeSealed(containing: $0, name: "test"), byteCount: $0.count)
        }
    }

    /// Makes the fake broker answer reads with this file.
    private func answer(_ file: ContentFile, digestOf content: [UInt8], size: Int? = nil) throws {
        var facts = VersionFacts()
        let digest = try Digest.of(.bytes(content))
        (facts.digest, facts.size, facts.fd) = (digest, UInt64(size ?? content.count), true)
        facts.digests = [[digest]]
        pair.broker.data = (.file(file), facts)
        pair.broker.read = { _ in (3, [.file(file, type: .png)], facts) }
    }

    @Test func aReadValueMayBeAFile() async throws {
        let content = bytes(200_000)
        try answer(try sealed(content), digestOf: content)
        #expect(try await board.data(forType: .png) == content)
        guard case .file(let file) = try await board.content(forType: .png, item: 2, changeCount: 9) else {
            return #expect(Bool(false), "no file came")
        }
        #expect(try file.bytes() == content)
        let asked = pair.broker.dataAsked
        #expect(asked.allSatisfy { $0.options.fd == true && $0.type == "image/png" })
        #expect(asked.map(\.item) == [0, 2] && asked.map(\.options.changeCount) == [nil, 9])
        let items = try await board.items
        #expect(items[0].byteCount == 200_000 && items[0].image?.value.content == content)
    }

    @Test func i5ADamagedFileIsAnError() async throws {
        let content = bytes(200_000)
        var damaged = content
        damaged[123_456] ^= 1
        try answer(try sealed(damaged), digestOf: content)
        for error in try await errors() { #expect(error.code == .inputOutput) }
        try answer(try sealed(content), digestOf: content, size: 199_999)
        let error = await #expect(throws: IPCError.self) { try await board.data(forType: .png) }
        #expect(error?.code == .inputOutput && error?.message.contains("199999") == true)
    }

    private func errors() async throws -> [IPCError] {
        var errors: [IPCError] = []
        do { _ = try await board.data(forType: .png) } catch { errors.append(error) }
        do { _ = try await board.items } catch { errors.append(error) }
        #expect(errors.count == 2)
        return errors
    }

    @Test func aMutableFileIsNotMapped() async throws {
        let content = bytes(100)
        let path = "/tmp/swift-ipc-open-\(getpid())"
        let writable = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        #expect(write(writable, content, content.count) == content.count)
        let readable = open(path, O_RDONLY | O_CLOEXEC)
        unlink(path)
        try answer(ContentFile(owning: writable), digestOf: content)
        for error in try await errors() { #expect(error.code == .payloadInvalid) }
        try answer(ContentFile(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)), digestOf: [])
        for error in try await errors() { #expect(error.code == .payloadInvalid) }
        // The same file is accepted if it is open for reading only, like the broker's own files.
        try answer(ContentFile(owning: readable), digestOf: content)
        #expect(try await board.data(forType: .png) == content)
    }
}
