import Glibc
import IPCTesting
import Testing

/// The example QABrowser in a terminal, and driven by URLs.
@Suite(.privateBus)
struct QABrowserTests {
    private func start() async throws -> SceneTerminal {
        try await SceneTerminal.start("qa-browser", showing: "All questions: 1–20 of 2400")
    }

    @Test func aTypedSearchShowsItsRowsInColumns() async throws {
        let browser = try await start()
        try await browser.terminal.type("京都 犬")
        try await browser.wait(forTitle: "Questions “京都 犬”: 1–")
        // The screen may be read in the middle of a redraw.
        let found = try await browser.terminal.wait(for: "what was typed, with the cursor behind it") {
            $0.rows[1] == " Search: 京都 犬" && $0.cursorRow == 1 && $0.cursorColumn == 9 + 7 && !$0.rows[7].isEmpty
        }
        for row in found.rows[3..<8] {
            #expect(row.wholeMatch(of: #/ {1,3}\d{1,3} ans {2}\d{4}-\d\d-\d\d {2}\S.*/#) != nil, "\(row)")
            #expect(row.contains("京都"))
        }
        try await browser.terminal.press("BSpace")
        try await browser.terminal.wait(for: "the cursor behind the blank") { $0.cursorColumn == 9 + 5 }
        try await browser.terminal.type("zzz")
        try await browser.terminal.wait(forText: "No question contains all of these words.")
    }

    @Test func theLastRowOpensTheNextTwenty() async throws {
        let browser = try await start()
        #expect(try await browser.answer(to: "qa://search?q=swift").hasPrefix("Questions “swift”: 1–20 of "))
        for _ in 0..<20 { try await browser.terminal.press("Down") }
        let last = try await browser.terminal.wait(forText: "next ")
        let next = try #require(last.rows.firstIndex { $0.contains("next ") })
        #expect(last.rows[next - 1].contains(" ans ") && next == 22, "it is the last row above the line about the keys")
        try await browser.terminal.press("Enter")
        try await browser.wait(forTitle: "Questions “swift”: 21–")
        try await browser.terminal.press("Escape")
        try await browser.wait(forTitle: "Questions “swift”: 1–20 of ")
    }

    @Test func aQuestionHasTwoViewsAndTheListMarksItAsRead() async throws {
        let browser = try await start()
        _ = try await browser.answer(to: "qa://search?q=swift")
        try await browser.terminal.press("Enter")
        let first = try await browser.wait(forTitle: "Question 1")
        #expect(first.text.contains(" answers"))
        try await browser.terminal.press("n")
        try await browser.terminal.wait(for: "another question") {
            $0.rows[0] != first.rows[0] && $0.rows[0].contains("Question")
        }
        try await browser.terminal.press("v")
        let narrow = try await browser.terminal.wait(forText: "(narrow)")
        #expect(narrow.rows[1...20].allSatisfy { $0.isEmpty || $0.hasPrefix(String(repeating: " ", count: 22)) })
        try await browser.terminal.press("Escape")
        try await browser.wait(forTitle: "Questions “swift”")
        #expect(
            try await browser.answer(to: "qa://stack").hasSuffix("\nsearch?q=swift&row=1"), "the second row is chosen")
    }

    @Test func everyScreenHasAURL() async throws {
        let browser = try await start()
        #expect(try await browser.answer(to: "qa://search?q=京都&from=20").hasPrefix("Questions “京都”: 21–40 of "))
        for (url, title) in [
            ("question/1000001", "Question 1000001"), ("question/1000002?view=narrow", "Question 1000002 (narrow)"),
            ("question/1000001", "Question 1000001"), ("home", "All questions: 1–20 of 2400"),
        ] {
            #expect(try await browser.answer(to: "qa://\(url)") == title)
            try await browser.wait(forTitle: title)
        }
        _ = try await browser.answer(to: "qa://question/1000001?view=narrow")
        _ = try await browser.answer(to: "qa://question/1000002")
        #expect(try await browser.answer(to: "qa://back") == "Question 1000001 (narrow)")
    }

    @Test(arguments: [
        ("question/1", "there is no question “1”"), ("question", "there is no question “”"),
        ("question/1000001?view=wide", "the views are plain and narrow"),
        ("search?from=x", "from=x: must be a number from 0"),
        ("back", "only the first screen is left"), ("answers/7", "does not support “answers/7”"),
    ])
    func aURLWithoutAScreenIsAnErrorAndChangesNothing(_ url: String, _ sentence: String) async throws {
        let browser = try await start()
        let (status, message) = try await browser.refusal(of: "qa://\(url)")
        #expect(status == .exited(70) && message.contains(sentence), "\(message)")
        #expect(try await browser.answer(to: "qa://stack") == "search")
    }

    @Test func theScreensAreRestoredAfterKill9() async throws {
        let browser = try await start()
        _ = try await browser.answer(to: "qa://search?q=京都&from=20")
        _ = try await browser.answer(to: "qa://question/1000001?view=narrow")
        let again = try await browser.killAndStartAgain(showing: "Question 1000001 (narrow)")
        #expect(try await again.answer(to: "qa://back").hasPrefix("Questions “京都”: 21–40 of "))
        #expect(try await again.answer(to: "qa://back") == "All questions: 1–20 of 2400")
    }
}
