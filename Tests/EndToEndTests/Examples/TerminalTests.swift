import Glibc
import IPCTesting
import Testing

/// The terminal library of the examples, in the note of scene-demo: one line of text with a cursor.
@Suite(.privateBus)
struct TerminalTests {
    /// The column of the note's first character.
    private static let start = 5

    /// Starts the demo on an empty note.
    private func note() async throws -> SceneTerminal {
        let demo = try await SceneTerminal.start("scene-demo", showing: "enter: open")
        #expect(try await demo.answer(to: "scenes://push/note") == "Note")
        return demo
    }

    private func wait(_ demo: SceneTerminal, for text: String, cursor: Int) async throws {
        try await demo.terminal.wait(for: "“\(text)”, with the cursor in column \(cursor)") { screen in
            screen.currentRow == "   > \(text)" && screen.cursorColumn == Self.start + cursor
        }
    }

    @Test func `keys edit a line, also with Shift, Alt and Control`() async throws {
        let demo = try await note()
        try await demo.terminal.type("ab日本c")
        try await wait(demo, for: "ab日本c", cursor: 7)
        try await demo.terminal.press("Left", "S-Left", "C-Left")
        try await wait(demo, for: "ab日本c", cursor: 2)
        try await demo.terminal.press("M-Right", "DC", "Home", "Right")
        try await wait(demo, for: "ab日c", cursor: 1)
        try await demo.terminal.press("End", "BSpace", "C-a")
        try await wait(demo, for: "ab日", cursor: 0)
        // Function keys have no meaning here, and are not typed as text.
        try await demo.terminal.press("F5", "C-F5", "M-C-F5")
        try await demo.terminal.type("x")
        try await wait(demo, for: "xab日", cursor: 1)
        try await demo.terminal.press("Escape")
        try await demo.wait(forTitle: "Scenes")
    }

    @Test func `a paste is inserted as text, and the keys after it are keys`() async throws {
        let demo = try await note()
        try await demo.terminal.type("<>")
        try await demo.terminal.press("Left")
        let long = String(repeating: "日本", count: 12)
        try await demo.terminal.paste("q\(long)\n.")
        try await wait(demo, for: "<q\(long) .>", cursor: 52)
        try await demo.terminal.press("BSpace")
        try await wait(demo, for: "<q\(long) >", cursor: 51)
    }

    /// These are characters whose parts tmux 3.3 joins. It draws the parts of 👍🏽 side by side; see the README.
    @Test(arguments: ["👨‍👩‍👧", "🇯🇵", "が", "⌚"])
    func `a character of several parts takes two columns, and the rest of the line is in place`(
        _ character: String
    ) async throws {
        let demo = try await note()
        try await demo.terminal.type("a\(character)zz")
        try await wait(demo, for: "a\(character)zz", cursor: 5)
        try await demo.terminal.press("BSpace")
        try await wait(demo, for: "a\(character)z", cursor: 4)
        try await demo.terminal.press("Left", "BSpace")
        try await wait(demo, for: "az", cursor: 1)
    }

    @Test func `the screen is drawn for the new size`() async throws {
        let demo = try await note()
        try await demo.terminal.type("日本語👨‍👩‍👧")
        try await wait(demo, for: "日本語👨‍👩‍👧", cursor: 8)
        for (columns, rows) in [(50, 12), (100, 30), (30, 8)] {
            try await demo.terminal.resize(columns: columns, rows: rows)
            try await demo.terminal.wait(for: "\(columns) × \(rows)") { screen in
                screen.rows.count >= rows && screen.rows[rows - 1].contains("type to edit")
                    && screen.rows.prefix(rows).filter { $0.contains("type to edit") }.count == 1
                    && screen.currentRow == "   > 日本語👨‍👩‍👧" && screen.cursorColumn == Self.start + 8
            }
        }
    }

    @Test(arguments: [["TERM=dumb"], ["TERM=no-such-terminal"], ["TERM="], ["-u", "TERM"]])
    func `a terminal that cannot move its cursor is reported`(_ setting: [String]) async throws {
        let broker = try await BrokerProcess.start()
        let terminal = try await TerminalSession.start(
            "/usr/bin/env", setting + [try Binaries.example("scene-demo")], columns: 150, rows: 5)
        #expect(try await terminal.end() == .exited(69))
        #expect(try await terminal.screen.rows[0].hasPrefix("scene-demo: the terminal cannot move its cursor"))
        withExtendedLifetime(broker) {}
    }

    @Test func `in a locale without UTF-8, text is still UTF-8`() async throws {
        let broker = try await BrokerProcess.start()
        let terminal = try await TerminalSession.start(
            "/usr/bin/env", ["LC_ALL=C", try Binaries.example("scene-demo")])
        try await terminal.wait(forText: "enter: open")
        try await terminal.press("2")
        try await terminal.type("日本")
        try await terminal.wait(forText: "> 日本")
        withExtendedLifetime(broker) {}
    }
}
