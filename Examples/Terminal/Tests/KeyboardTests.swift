@preconcurrency import CNcurses
@preconcurrency import Glibc
import Testing

@testable import Terminal

/// The keyboard reads from a pipe here. ncurses is not thread-safe, so the tests run one after another.
@Suite(.serialized) final class KeyboardTests {
    private var keyboard: Keyboard
    private let input: Int32
    private let screen: OpaquePointer
    private let files: [UnsafeMutablePointer<FILE>]

    init() throws {
        Unicode.Scalar.locale
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        files = [try #require(fdopen(ends[0], "r")), try #require(fopen("/dev/null", "w"))]
        input = ends[1]
        screen = try #require(newterm("xterm-256color", files[1], files[0]))
        keyboard = Keyboard(try #require(newpad(1, 1)))
    }

    deinit {
        delscreen(screen)
        close(input)
        for file in files { fclose(file) }
    }

    /// The events of these bytes when they arrive together, and each piece is read as soon as it has arrived.
    private func events(_ pieces: [UInt8]...) -> [TerminalEvent] {
        pieces.flatMap { piece in
            write(input, piece, piece.count)
            return keyboard.read()
        }
    }

    private func events(_ text: String) -> [TerminalEvent] { events(Array(text.utf8)) }

    @Test(arguments: [
        ("\u{1B}OA", Key.up), ("\u{1B}OB", .down), ("\u{1B}[1;5D", .left), ("\u{1B}[1;2C", .right),
        ("\u{1B}[1;3A", .up), ("\u{1B}OH", .home), ("\u{1B}OF", .end), ("\u{1B}[5~", .pageUp),
        ("\u{1B}[6;5~", .pageDown), ("\u{1B}[3~", .delete), ("\u{1B}[Z", .backTab), ("\r", .enter), ("\n", .enter),
        ("\t", .tab), ("\u{7F}", .backspace), ("\u{08}", .backspace), ("\u{01}", .control("a")),
        ("\u{1B}[A", .up), ("\u{1B}[1~", .home), ("\u{1B}[8~", .end), ("\u{1B}OM", .enter), ("\u{18}", .control("x")),
        ("\u{1B}", .escape),
        ("ă", .character("ă")),
    ])
    func `a key is recognized`(sent: String, key: Key) {
        #expect(events(sent) == [.key(key)])
    }

    @Test func `characters are recognized, and joined if they arrive together`() {
        let typed: [Character] = ["a", "あ", "か\u{3099}", "🇯🇵", "👨‍👩‍👧", "b"]
        #expect(events(String(typed)) == typed.map { .key(.character($0)) })
    }

    @Test func `text split within a character waits for the rest`() {
        let bytes = Array("日".utf8)
        #expect(events([bytes[0]]).isEmpty)
        #expect(events([bytes[1]], [bytes[2], 0x41]) == [.key(.character("日")), .key(.character("A"))])
    }

    @Test func `invalid bytes are reported, and the text after them is read`() {
        #expect(events([0xFF, 0x41]) == [.key(.character("\u{FFFD}")), .key(.character("A"))])
    }

    @Test func `an unknown sequence is skipped completely`() {
        let keys = events("\u{1B}[?1;2cx\u{1B}[99~y\u{1B}OXz")
        #expect(keys == [.key(.character("x")), .key(.character("y")), .key(.character("z"))])
    }

    @Test func `a paste is one event with its line breaks, wherever it is split`() {
        let bytes = Array("a\u{1B}[200~1\r2\r\n\u{1B}[31m日\u{1B}[201~b".utf8)
        let expected: [TerminalEvent] = [.key(.character("a")), .paste("1\n2\n\u{1B}[31m日"), .key(.character("b"))]
        #expect(events(bytes) == expected)
        // The sequence that begins the paste must arrive within the time of Escape, as must that of each key.
        for cut in 7..<bytes.count { #expect(events(Array(bytes[..<cut]), Array(bytes[cut...])) == expected, "\(cut)") }
    }

    @Test func `Escape twice is Escape twice, and a letter with Alt is ignored`() {
        #expect(events("\u{1B}\u{1B}") == [.key(.escape), .key(.escape)])
        #expect(events("\u{1B}x\u{1B}語y") == [.key(.character("y"))])
        #expect(events("\u{1B}\u{1B}OA") == [.key(.escape), .key(.up)])
    }
}
