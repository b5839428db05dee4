import Glibc
import IPCModel
import Testing

@Suite("ContentFile")
struct ContentFileTests {
    /// The test's own folder.
    private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        var template = Array("/tmp/swift-ipc-files-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { for name in ["file", "pipe", "link", ""] { remove("\(folder)/\(name)") } }
        return try body(folder)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    @Test("A file is opened for reading, with its length and its bytes", arguments: [0, 1, 4_096, 200_001])
    func regularFile(_ size: Int) throws {
        try withFolder { folder in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try write(bytes, to: "\(folder)/file")
            let item = try PasteboardItem.file(path: "\(folder)/file", type: .png)
            guard case .file(let file)? = item[.png]?.value else { return #expect(Bool(false), "no file") }
            #expect(item.byteCount == size && file.byteCount == size && file.isReadOnly)
            #expect(try file.bytes() == bytes)
            try #expect(file.withBytes(in: 1..<3) { Array($0) } == Array(bytes.dropFirst().prefix(2)))
        }
    }

    @Test("UTF-8 text in a file is read as text, and other bytes are not")
    func text() throws {
        try withFolder { folder in
            try write(Array("grüße".utf8), to: "\(folder)/file")
            #expect(try PasteboardItem.file(path: "\(folder)/file", type: .utf8PlainText).string == "grüße")
            try write([0xFF], to: "\(folder)/file")
            #expect(try PasteboardItem.file(path: "\(folder)/file", type: .utf8PlainText).string == nil)
        }
    }

    @Test("A file that is truncated after it was opened is an error", arguments: [0, 5_000, 200_000])
    func shortened(_ left: Int) throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            try write([UInt8](repeating: 65, count: 200_001), to: path)
            let file = try ContentFile(path: path)
            #expect(try file.bytes().count == 200_001 && ContentDigest(of: file) == ContentDigest(of: file.bytes()))
            let item = PasteboardItem.file(file, type: .utf8PlainText)
            #expect(truncate(path, off_t(left)) == 0)
            let failures: [() throws -> Void] = [
                { _ = try file.bytes() }, { _ = try ContentDigest(of: file) },
                { _ = try item.representations[0].value.readString() },
            ]
            for failure in failures {
                let error = #expect(throws: IPCError.self) { try failure() }
                #expect(error?.code == .inputOutput && error?.message.contains("truncated") == true)
            }
            #expect(item.string == nil)
            // The remaining content can be read.
            #expect(try file.bytes(in: 0..<left).count == left)
        }
    }

    @Test("A file that is truncated while it is read is an error")
    func shortenedMeanwhile() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            try write([UInt8](repeating: 65, count: 5 << 20), to: path)
            let file = try ContentFile(path: path)
            var seen = 0
            let error = #expect(throws: IPCError.self) {
                try file.readPieces(in: 0..<file.byteCount) { piece in
                    seen += piece.count
                    truncate(path, 4_096)
                }
            }
            #expect(error?.code == .inputOutput && (1..<5 << 20).contains(seen))
        }
    }

    @Test("A file that is not regular is rejected immediately, even a pipe without a writer")
    func otherKinds() throws {
        try withFolder { folder in
            #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
            #expect(symlink("/dev/zero", "\(folder)/link") == 0)
            for path in [folder, "\(folder)/pipe", "\(folder)/link", "/dev/null"] {
                let error = #expect(throws: IPCError.self) { try ContentFile(path: path) }
                #expect(error?.code == .payloadInvalid, "\(path)")
            }
            for path in ["\(folder)/nothing", "\(folder)/pipe/nothing"] {
                let error = #expect(throws: IPCError.self) { try ContentFile(path: path) }
                #expect(error?.code == .noSuchItem && error?.message.contains(folder) == true, "\(path)")
            }
        }
    }

    @Test("A descriptor that also allows writing is not read-only")
    func readOnly() throws {
        try withFolder { folder in
            try write([1], to: "\(folder)/file")
            for (mode, isReadOnly) in [(O_RDONLY, true), (O_RDWR, false), (O_WRONLY, false)] {
                #expect(ContentFile(owning: open("\(folder)/file", mode | O_CLOEXEC)).isReadOnly == isReadOnly)
            }
        }
    }
}
