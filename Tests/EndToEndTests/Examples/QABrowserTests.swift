import Glibc
import IPCTesting
import Testing

/// The example QABrowser in a terminal, with its server and the relay: keys, URLs, and what can go wrong on the way.
@Suite(.privateBus)
struct QABrowserTests {
    @Test func `a typed search shows its results in columns`() async throws {
        let scene = try await QABrowserScene.start()
        try await scene.search("京都 犬")
        try await scene.browser.wait(forTitle: "Questions “京都 犬”: 1–20 of 27")
        let found = try await scene.terminal.wait(for: "the query, with the cursor behind it") {
            $0.rows[1] == " Search: 京都 犬" && $0.cursorRow == 1 && $0.cursorColumn == 9 + 7 && !$0.rows[7].isEmpty
        }
        for row in found.rows[3..<8] {
            #expect(row.wholeMatch(of: #/ {1,3}\d{1,3} ans {2}\d{4}-\d\d-\d\d {2}\S.*/#) != nil, "\(row)")
            #expect(row.contains("京都"))
        }
        try await scene.search("京都 zzz")
        try await scene.terminal.wait(forText: "No question contains all of these words.")
    }

    @Test func `the last row loads the next twenty in place`() async throws {
        let scene = try await QABrowserScene.start()
        #expect(try await scene.browser.answer(to: "qa://search?q=swift") == "Questions “swift”: 1–20 of 64")
        try await scene.loadNext()
        try await scene.browser.wait(forTitle: "Questions “swift”: 1–40 of 64")
        // The chosen row, the lowest that is visible, is now the first new result.
        let more = try await scene.terminal.wait(for: "a result in the last row") { $0.rows[22].contains(" ans ") }
        let stack = try await scene.browser.answer(to: "qa://stack")
        #expect(stack == "search\nsearch?q=swift&count=40&row=20", "there is no new screen")
        try await scene.terminal.press("Enter")
        let text = try #require(more.rows[22].split(separator: " ", maxSplits: 3).last).prefix(20)
        try await scene.terminal.wait(for: "the question of this result") { screen in
            screen.rows[0].contains("Question 1") && screen.text.contains(text)
        }
        try await scene.terminal.press("Escape")
        try await scene.browser.wait(forTitle: "Questions “swift”: 1–40 of 64")
        #expect(try await scene.browser.answer(to: "qa://next") == "Questions “swift”: 1–60 of 64")
        try await scene.wait(forLastRow: " ans ")
    }

    @Test func `one list holds all 2,400 questions`() async throws {
        let scene = try await QABrowserScene.start()
        for count in stride(from: 40, through: 2_400, by: 20) {
            #expect(try await scene.browser.answer(to: "qa://next") == "All questions: 1–\(count) of 2400")
        }
        #expect(try await scene.browser.answer(to: "qa://stack") == "search?count=2400&row=2380")
        let (status, message) = try await scene.browser.refusal(of: "qa://next")
        #expect(status == .exited(70) && message.contains("all results are in the list"), "\(message)")
        for _ in 0..<19 { try await scene.terminal.press("Down") }
        try await scene.terminal.press("Enter")
        // The newest question is first, so the oldest is last.
        try await scene.browser.wait(forTitle: "Question 1000001")
    }

    @Test func `a slow load is cancelled by Escape, and the list stays as it was`() async throws {
        let scene = try await QABrowserScene.start()
        let before = try await scene.terminal.screen
        scene.server.signal(SIGSTOP)
        try await scene.loadNext()
        try await scene.wait(forLastRow: "loading…")
        try await scene.terminal.press("Escape")
        let after = try await scene.wait(forLastRow: "enter: try again   cancelled")
        #expect(after.rows[0] == before.rows[0] && after.rows[3...21] == before.rows[4...22])
        scene.server.signal(SIGCONT)
        try await scene.terminal.press("Enter")
        try await scene.browser.wait(forTitle: "All questions: 1–40 of 2400")
    }

    @Test func `another search takes the place of a slow one`() async throws {
        let scene = try await QABrowserScene.start()
        try await scene.search("swift :slow")
        try await scene.browser.wait(forTitle: "Questions “swift :slow”: loading")
        try await scene.search("tmux")
        let found = try await scene.browser.wait(forTitle: "Questions “tmux”: 1–")
        #expect(found.rows[3].contains("tmux"))
    }

    @Test(arguments: [
        ("swift :fail", "the server says 500 Internal Server Error"),
        ("swift :cut", "the server's answer cannot be read: it is incomplete"),
    ])
    func `a faulty answer is shown with its reason`(_ query: String, _ reason: String) async throws {
        let scene = try await QABrowserScene.start()
        try await scene.search(query)
        try await scene.browser.wait(forTitle: "Questions “\(query)”: not loaded")
        try await scene.wait(forLastRow: "enter: try again   \(reason)")
        let encoded = query.replacing(" ", with: "%20")
        let (status, message) = try await scene.browser.refusal(of: "qa://search?q=\(encoded)")
        #expect(status == .exited(70) && message.contains(reason), "another program gets the reason too: \(message)")
        try await scene.search("swift")
        try await scene.browser.wait(forTitle: "Questions “swift”: 1–20 of 64")
    }

    @Test func `if the server is gone, the list stays, and Enter tries again`() async throws {
        let scene = try await QABrowserScene.start()
        await scene.server.end()
        try await scene.loadNext()
        let failed = try await scene.wait(forLastRow: "cannot be reached")
        #expect(failed.rows[0].contains("1–20 of 2400") && failed.rows[21].contains(" ans "))
        try await scene.startServerAgain()
        try await scene.terminal.press("Enter")
        try await scene.browser.wait(forTitle: "All questions: 1–40 of 2400")
    }

    @Test func `without a relay, the screen says what to do`() async throws {
        let broker = try await BrokerProcess.start()
        let (_, address) = try await QABrowserScene.server()
        let browser = try await SceneTerminal.start(
            [try Binaries.example("qa-browser"), "--server", address], showing: "All questions: not loaded",
            broker: broker)
        try await browser.terminal.wait(forText: "no relay is running; start http-relay in another terminal")
        _ = try await QABrowserScene.relay()
        try await browser.terminal.press("Enter")
        try await browser.wait(forTitle: "All questions: 1–20 of 2400")
    }

    @Test func `a question shows the answers on its page, in two views`() async throws {
        let scene = try await QABrowserScene.start()
        #expect(try await scene.browser.answer(to: "qa://question/1000002") == "Question 1000002")
        try await scene.terminal.wait(for: "the first answers, in the question's language") { screen in
            screen.text.contains("2010-04-03 · vote · 12 answers") && screen.text.contains("回答 1")
                && !screen.text.contains("回答 12")
        }
        for _ in 0..<4 { try await scene.terminal.press("PageDown") }
        try await scene.terminal.wait(forText: "回答 12")
        try await scene.terminal.press("v")
        try await scene.terminal.wait(for: "a narrow column") { screen in
            screen.text.contains("(narrow)")
                && screen.rows[1...21].allSatisfy { $0.isEmpty || $0.hasPrefix(String(repeating: " ", count: 22)) }
        }
        #expect(try await scene.browser.answer(to: "qa://stack") == "search\nquestion/1000002?view=narrow")
    }

    @Test func `n and p show the neighbours in the list, which is loaded as needed`() async throws {
        let scene = try await QABrowserScene.start()
        for _ in 0..<19 { try await scene.terminal.press("Down") }
        try await scene.terminal.press("Enter")
        let last = try await scene.browser.wait(forTitle: "Question 1002381")
        #expect(!last.text.contains("(narrow)"))
        try await scene.terminal.press("v")
        try await scene.terminal.press("n")
        try await scene.browser.wait(forTitle: "Question 1002380 (narrow)")
        try await scene.terminal.press("p")
        try await scene.browser.wait(forTitle: "Question 1002381 (narrow)")
        try await scene.terminal.press("n")
        try await scene.browser.wait(forTitle: "Question 1002380 (narrow)")
        try await scene.terminal.press("Escape")
        try await scene.browser.wait(forTitle: "All questions: 1–40 of 2400")
        #expect(try await scene.browser.answer(to: "qa://stack") == "search?count=40&row=20", "it chooses the seen one")
        _ = try await scene.browser.answer(to: "qa://question/1000001")
        try await scene.terminal.press("n")
        try await scene.terminal.wait(forText: "this question is not in the list; go back")
    }

    @Test func `o and m open the pages for computers and phones in the browser`() async throws {
        let desktop = try await DesktopScene.start()
        try desktop.addStartedProgram(scheme: "http")
        let scene = try await QABrowserScene.start(desktop.broker)
        _ = try await scene.browser.answer(to: "qa://question/1000002")
        try await scene.terminal.press("o")
        try await desktop.log.waitForLine { $0.hasPrefix("started\t\(scene.address)/question/1000002\t") }
        try await scene.terminal.press("m")
        try await desktop.log.waitForLine { $0.hasPrefix("started\t\(scene.address)/m/1000002\t") }
        #expect(try await scene.terminal.screen.text.contains("n p: neighbours"), "there is nothing to report")
    }

    @Test func `if there is no browser, a notice says so`() async throws {
        let scene = try await QABrowserScene.start()
        _ = try await scene.browser.answer(to: "qa://question/1000002")
        try await scene.terminal.press("o")
        try await scene.terminal.wait(for: "a notice in place of the keys") {
            $0.rows[23].contains("there is no browser: no application handles")
        }
        try await scene.terminal.press("v")
        try await scene.terminal.wait(forText: "n p: neighbours")
    }

    @Test func `the server cannot choose which program gets a URL`() async throws {
        let browser = try await QABrowserScene.browser(ofOneQuestion: #""Url": "qa://home", "MobileUrl": "qa://home""#)
        try await browser.terminal.press("Enter")
        try await browser.wait(forTitle: "Question 7")
        for key in ["o", "m"] {
            try await browser.terminal.press(key)
            try await browser.terminal.wait(forText: "the server names “qa://home”, which is not a web page")
            try await browser.terminal.press("v")
            try await browser.terminal.wait(forText: "enter: try again")
        }
        #expect(try await browser.answer(to: "qa://stack").hasPrefix("search\nquestion/7"))
    }

    @Test func `a page with a very long word is shown, and can be left`() async throws {
        let browser = try await QABrowserScene.browser(ofOneQuestion: "", page: #""x" * 500_000"#)
        try await browser.terminal.press("Enter")
        try await browser.terminal.wait(forText: String(repeating: "x", count: 70))
        try await browser.terminal.press("v")
        try await browser.wait(forTitle: "Question 7 (narrow)")
        #expect(try await browser.answer(to: "qa://back") == "All questions: 1–1 of 1")
    }

    @Test func `a page that is too long is an error`() async throws {
        let browser = try await QABrowserScene.browser(ofOneQuestion: "", page: #""x" * 2_000_000"#)
        let (status, message) = try await browser.refusal(of: "qa://question/7")
        #expect(status == .exited(70) && message.contains("the answer has 2000020 bytes; at most 1 MiB is shown"))
        try await browser.terminal.wait(forText: "The answers are not loaded: the answer has 2000020 bytes")
    }

    @Test func `a large number of answers is shown whole`() async throws {
        let browser = try await QABrowserScene.browser(ofOneQuestion: #""AnswerCount": 1234567"#)
        try await browser.terminal.wait(forText: " 1234567 ans  2012-03-04  犬")
    }

    @Test func `every screen has a URL`() async throws {
        let scene = try await QABrowserScene.start()
        let browser = scene.browser
        #expect(try await browser.answer(to: "qa://search?q=京都&count=40&row=3").hasPrefix("Questions “京都”: 1–40 of "))
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
        ("question", "there is no question “”"), ("question/x", "there is no question “x”"),
        ("question/1000001?view=wide", "the views are plain and narrow"),
        ("search?count=x", "count=x: must be a number from 0"),
        ("back", "only the first screen is left"), ("answers/7", "does not support “answers/7”"),
    ])
    func `a URL without a screen is an error and changes nothing`(_ url: String, _ sentence: String) async throws {
        let scene = try await QABrowserScene.start()
        let (status, message) = try await scene.browser.refusal(of: "qa://\(url)")
        #expect(status == .exited(70) && message.contains(sentence), "\(message)")
        #expect(try await scene.browser.answer(to: "qa://stack") == "search")
    }

    @Test func `a question that the server does not know is an error, which its screen shows`() async throws {
        let scene = try await QABrowserScene.start()
        let (status, message) = try await scene.browser.refusal(of: "qa://question/1")
        #expect(status == .exited(70) && message.contains("there is no question “1” (no-such-question)"), "\(message)")
        try await scene.terminal.wait(forText: "The answers are not loaded: there is no question “1”")
    }

    @Test func `the screens are loaded again after kill -9`() async throws {
        let scene = try await QABrowserScene.start()
        _ = try await scene.browser.answer(to: "qa://search?q=swift&count=40&row=25")
        _ = try await scene.browser.answer(to: "qa://question/1000002?view=narrow")
        let again = try await scene.browser.killAndStartAgain(showing: "Question 1000002 (narrow)")
        try await again.terminal.wait(forText: "12 answers")
        #expect(try await again.answer(to: "qa://back") == "Questions “swift”: 1–40 of 64")
        #expect(try await again.answer(to: "qa://stack") == "search\nsearch?q=swift&count=40&row=25")
        #expect(try await again.answer(to: "qa://back") == "All questions: 1–20 of 2400")
    }

    @Test func `the demo starts all three programs, and ends them`() async throws {
        let broker = try await BrokerProcess.start()
        var environment = try ExamplePlace.environment
        let programs = ExamplePlace.folder(".build/debug")
        environment["PATH"] = "\(programs):\(environment["PATH"] ?? "")"
        let terminal = try await TerminalSession.start(ExamplePlace.folder("QABrowser/demo"), environment: environment)
        try await terminal.wait(forText: "All questions: 1–20 of 2400")
        let started = ProcessStatus(pid: terminal.pid).descendants
        #expect(Set(started.map { ProcessStatus(pid: $0).command }) == ["question-server", "http-relay", "qa-browser"])
        try await terminal.press("C-c")
        _ = try await terminal.end()
        for process in started { try await ProcessStatus(pid: process).waitForEnd() }
        #expect(broker.isRunning)
    }
}

/// The server of the example QABrowser.
@Suite(.privateBus)
struct QuestionServerTests {
    private func get(_ address: String, _ path: String) async throws -> (status: String, body: String) {
        let output = try await RunningProcess.run(
            "curl", ["-sS", "-w", "\n%{http_code} %{content_type}", "\(address)\(path)"]
        ).succeeded().output
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test func `a search is answered in XML, with the positions and the URLs`() async throws {
        let (_, address) = try await QABrowserScene.server()
        let found = try await get(address, "/questions?query=%E4%BA%AC%E9%83%BD+%E7%8A%AC&start=21&results=3")
        #expect(found.status == "200 application/xml; charset=utf-8")
        #expect(
            found.body.contains(
                "<ResultSet totalResults=\"27\" totalResultsReturned=\"3\" firstResultPosition=\"21\">"))
        #expect(found.body.split(separator: "<Url>\(address)/question/").count == 4, "\(found.body)")
        #expect(found.body.split(separator: "<MobileUrl>\(address)/m/").count == 4)
        let beyond = try await get(address, "/questions?query=swift&start=65")
        #expect(
            beyond.body.contains("totalResults=\"64\" totalResultsReturned=\"0\" firstResultPosition=\"65\""))
        let one = try await get(address, "/questions?id=1000002")
        #expect(one.body.contains("<Id>1000002</Id>") && one.body.contains("totalResults=\"1\""))
    }

    @Test(arguments: [
        ("start=0", "start=0: must be a number from 1"), ("start=x", "start=x: must be a number from 1"),
        ("results=0", "results=0: must be a number from 1 to 100"),
        ("results=101", "results=101: must be a number from 1 to 100"), ("id=%3C", "id=&lt;: must be a number from 1"),
    ])
    func `a bad parameter is rejected in XML`(_ parameter: String, _ message: String) async throws {
        let (_, address) = try await QABrowserScene.server()
        let rejected = try await get(address, "/questions?\(parameter)")
        #expect(rejected.status == "400 application/xml; charset=utf-8")
        #expect(rejected.body.contains("<Error><Message>\(message)</Message></Error>"), "\(rejected.body)")
    }

    @Test func `a question has a page for computers and one for phones`() async throws {
        let (_, address) = try await QABrowserScene.server()
        let page = try await get(address, "/question/1000002")
        #expect(page.status == "200 text/html; charset=utf-8" && page.body.contains("<h2>回答 12</h2>"))
        let phone = try await get(address, "/m/1000002")
        #expect(phone.status == "200 text/html; charset=utf-8" && !phone.body.contains("<h2>"))
        #expect(try await get(address, "/question/1").status.hasPrefix("404"))
    }
}
