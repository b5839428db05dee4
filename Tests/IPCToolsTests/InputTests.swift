import Glibc
import IPC
import IPCTesting
import Testing

@testable import IPCTools

/// Tests of the input that a tool reads into memory or passes on as a file, and of its output.
@Suite("Input and output of content")
struct InputTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func onlySmallFilesAreReadIntoMemory() throws {
        let small = try folder.file("small", [UInt8](repeating: 65, count: 65_536))
        #expect(try InputFile.read(small) == .bytes([UInt8](repeating: 65, count: 65_536)))
        let large = try folder.file("large", [UInt8](repeating: 65, count: 65_537))
        guard case .file(let file) = try InputFile.read(large) else { return #expect(Bool(false), "it was read") }
        #expect(file.byteCount == 65_537)
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 200_000])
    func aNewlineIsTrimmedOnce(_ count: Int) throws {
        let body = [UInt8](repeating: 65, count: count)
        let path = try folder.file("lines", body + [10])
        #expect(try InputFile.read(path, trimmingNewline: true).content == body)
        #expect(try InputFile.read(path).content == body + [10])
        let two = try folder.file("two", body + [10, 10])
        #expect(try InputFile.read(two, trimmingNewline: true).content == body + [10])
    }

    /// Files in `/proc` have a length of 0, but must be read nevertheless.
    @Test func filesWithoutALengthAreRead() throws {
        #expect(try !InputFile.read("/proc/self/status").content.isEmpty)
    }

    @Test(arguments: [
        ("", true), ("text", true), ("a\tb\r\nc\n", true), ("grün 日本語 😀", true), ("a\u{A0}b", true),
        ("\u{1B}[31mred", false), ("over\rwritten", false), ("end\r", false), ("a\u{0}b", false), ("a\u{7F}", false),
        ("a\u{9B}31m", false), ("a\r\r\n", false), ("a\r\tb", false),
    ])
    func aTerminalShowsOnlyText(_ text: String, _ isShown: Bool) throws {
        #expect(TerminalCheck.canShow(.bytes(Array(text.utf8))) == isShown)
        #expect(TerminalCheck.canShow(.text(text)) == isShown)
        // The text is passed in single bytes, so that the check sees characters of several bytes in parts.
        var check = TerminalCheck()
        for byte in text.utf8 { _ = withUnsafeBytes(of: byte) { check.add($0) } }
        #expect(check.isComplete == isShown)
        let long = String(repeating: "x", count: 300_000) + text
        let file = try InputFile.read(try folder.file("long", Array(long.utf8)))
        guard case .file = file else {
            Issue.record("the file is not large")
            return
        }
        #expect(TerminalCheck.canShow(file) == isShown)
    }

    @Test(arguments: [[0xFF], [0x89, 0x50, 0x4E, 0x47], [0xC3], [0x41, 0xE3, 0x81]] as [[UInt8]])
    func aTerminalShowsNoBytesThatAreNotUTF8(_ bytes: [UInt8]) {
        #expect(!TerminalCheck.canShow(.bytes(bytes)))
    }

    @Test func inputBeyondTheLimitIsRejected() throws {
        let path = try folder.file("much", [UInt8](repeating: 65, count: 100_001))
        #expect(try InputFile.read(path, most: 100_001).byteCount == 100_001)
        let failure = #expect(throws: ToolFailure.self) { try InputFile.read(path, most: 100_000) }
        #expect(failure?.exit == .dataError)
        #expect(failure?.message.contains("100001 B exceeds the limit of 100000 B") == true)
    }

    @Test(arguments: [[UInt8](), [10], [0, 255, 10], [UInt8](repeating: 7, count: 300_000)])
    func readContentIsWrittenUnchanged(_ bytes: [UInt8]) throws {
        let input = try folder.file("input", bytes)
        let output = try folder.file("output", [UInt8](repeating: 1, count: 400_000))
        var destination = try ContentOutput.file(output)
        try destination.write(try InputFile.read(input))
        #expect(try InputFile.read(output).content == bytes)
    }

    @Test func aFileWithoutContentIsRemoved() throws {
        let (new, old) = (folder.appending("new"), try folder.file("old", [1]))
        for path in [new, old] {
            _ = try ContentOutput.file(path)
        }
        #expect(access(new, F_OK) != 0)
        #expect(try InputFile.read(old) == .bytes([1]))
        #expect(FileContents.names(in: folder.path) == ["old"])
    }

    @Test func aFileThatDoesNotFitOnTheDiskStaysUnchanged() async throws {
        let input = try folder.file("input", [UInt8](repeating: 7, count: 300_000))
        let output = try folder.file("output", [1])
        await #expect(processExitsWith: .success) { [input = input as String, output = output as String] in
            var most = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &most)
            var destination = try ContentOutput.file(output)
            let value = try InputFile.read(input)
            let failure = #expect(throws: ToolFailure.self) { try destination.write(value) }
            #expect(failure?.exit == .inputOutput)
        }
        #expect(try InputFile.read(output) == .bytes([1]))
        #expect(FileContents.names(in: folder.path)?.sorted() == ["input", "output"])
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
    func aFileOnADiskThatIsFullStaysAsItWas() throws {
        let disk = try #require(SmallFileSystem())
        let output = disk.path + "/output"
        try FileContents.write([1] as [UInt8], to: output)
        let value = try InputFile.read(try folder.file("input", [UInt8](repeating: 7, count: 300_000)))
        var destination = try ContentOutput.file(output)
        disk.fill()
        let failure = #expect(throws: ToolFailure.self) { try destination.write(value) }
        #expect(failure?.exit == .inputOutput)
        #expect(try InputFile.read(output) == .bytes([1]))
        // Negative control: when the disk has space again, the file is replaced.
        disk.empty()
        var another = try ContentOutput.file(output)
        try another.write(value)
        #expect(try InputFile.read(output).byteCount == 300_000)
        withExtendedLifetime(disk) {}
    }

    @Test func linksAndFileModesAreKept() throws {
        let file = try folder.file("file", [1])
        chmod(file, 0o640)
        symlink(file, folder.appending("link"))
        var destination = try ContentOutput.file(folder.appending("link"))
        try destination.write(.bytes([2, 3]))
        var status = stat()
        #expect(lstat(folder.appending("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(try InputFile.read(file) == .bytes([2, 3]))
    }

    @Test func anOutputThatCannotBeCreatedIs73() {
        let failure = #expect(throws: ToolFailure.self) { _ = try ContentOutput.file("/nowhere/at/all") }
        #expect(failure?.exit == .cannotCreate)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 64])
    func textIsRecognizedInAnyFragments(_ size: Int) {
        func isText(_ bytes: [UInt8]) -> Bool {
            var check = TextCheck()
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { _ = check.add($0) }
            }
            return check.isComplete
        }
        #expect(isText(Array("aé日😀\u{10FFFF}z".utf8)))
        #expect(isText([]))
        #expect(!isText([0x61, 0]))
        #expect(!isText([0xFF]))
        #expect(!isText([0x61, 0x80]))
        #expect(!isText([0xE6, 0x97]))
        #expect(!isText([0xF0, 0x9F, 0x98]))
        #expect(!isText([0xED, 0xA0, 0x80]))
        #expect(!isText([0xC0, 0x80]))
        #expect(!isText(Array("日".utf8.dropLast()) + Array("本".utf8)))
    }
}

extension TemporaryDirectory {
    /// Creates a file with these bytes; returns its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = appending(name)
        try FileContents.write(bytes, to: path)
        return path
    }
}
