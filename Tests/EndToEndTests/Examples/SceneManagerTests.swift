import Glibc
import IPCTesting
import Testing

/// The example SceneManager in a terminal: keys, URLs, alerts, layouts, and the state after kill -9.
@Suite(.privateBus)
struct SceneManagerTests {
    private func start() async throws -> SceneTerminal {
        try await SceneTerminal.start("scene-demo", showing: "enter: open")
    }

    /// Waits until the lines at the bottom end with these moments.
    private func wait(for moments: [String], on demo: SceneTerminal) async throws {
        try await demo.terminal.wait(forText: moments.map { "   \($0)\n" }.joined())
    }

    @Test func keysMoveBetweenScenes() async throws {
        let demo = try await start()
        try await demo.terminal.press("Right", "Enter")
        try await demo.wait(forTitle: "Note")
        try await demo.terminal.press("Escape")
        try await demo.wait(forTitle: "Scenes")
        try await demo.terminal.press("Right", "b")
        try await demo.wait(forTitle: "Morning 朝")
        try await demo.terminal.press("Right")
        let noon = try await demo.wait(forTitle: "Noon 昼")
        #expect(noon.text.contains("○ ● ○"))
        try await demo.terminal.press("C-c")
        #expect(try await demo.terminal.end() == .signalled(SIGINT))
    }

    @Test(arguments: [
        ("1", "Counter 0"), ("2", "Note"), ("3", "Morning 朝"), ("4", "The question 問い"), ("5", "Fade"), ("6", "Poem"),
    ])
    func eachOfTheSixIconsIsActivatedByAKeyAndByAURL(_ key: String, _ title: String) async throws {
        let demo = try await start()
        let menu = try await demo.terminal.screen
        for label in ["1 counter", "2 note", "3 pages", "4 card", "5 fade", "6 poem"] {
            #expect(menu.text.contains(label))
        }
        try await demo.terminal.press(key)
        try await demo.wait(forTitle: title)
        #expect(try await demo.answer(to: "scenes://pop") == "Scenes")
        #expect(try await demo.answer(to: "scenes://icon/\(key)") == title)
        try await demo.wait(forTitle: title)
    }

    @Test func textIsEditedByCharacterAndClearedOnlyAfterYes() async throws {
        let demo = try await start()
        #expect(try await demo.answer(to: "scenes://push/note") == "Note")
        try await demo.terminal.type("日本語👨‍👩‍👧")
        try await demo.terminal.wait(for: "the cursor behind the family") { $0.cursorColumn == 5 + 8 }
        try await demo.terminal.press("BSpace")
        // The screen may be read in the middle of a redraw.
        try await demo.terminal.wait(for: "the note without the family") {
            $0.currentRow == "   > 日本語" && $0.cursorColumn == 5 + 6
        }
        try await demo.terminal.press("C-x")
        try await demo.terminal.wait(forText: "Clear the note?")
        try await demo.terminal.press("Enter")
        try await demo.terminal.wait(for: "the note as it was: Enter alone loses nothing") {
            !$0.text.contains("Clear the") && $0.text.contains("> 日本語")
        }
        try await demo.terminal.press("C-x")
        try await demo.terminal.wait(forText: "Clear the note?")
        try await demo.terminal.press("y")
        try await demo.terminal.wait(for: "an empty note") { $0.cursorColumn == 5 && !$0.text.contains("語") }
    }

    @Test func anotherProgramControlsItByURL() async throws {
        let demo = try await start()
        for (url, title) in [
            ("push/counter?n=5", "Counter 5"), ("add/3", "Counter 8"), ("push/pages", "Morning 朝"),
            ("page/3", "Night 夜"),
            ("replace/card", "The question 問い"), ("flip", "The answer 答え"),
            ("stack", "menu\ncounter?n=8\ncard?page=2"),
            ("pop-to/counter", "Counter 8"), ("push/note", "Note"), ("pop-to-root", "Scenes"), ("stack", "menu"),
        ] {
            #expect(try await demo.answer(to: "scenes://\(url)") == title, "\(url)")
            if url != "stack" { try await demo.wait(forTitle: title) }
        }
    }

    @Test(arguments: [
        ("pop", "only the first screen is left"), ("push/nothing", "there is no screen “nothing”"),
        ("pop-to/card", "no screen “card” to go back to"), ("page/2", "“Scenes” does not support “page/2”"),
        ("push", "needs the name of a screen"), ("push/card?fade=green", "white or black"),
        ("icon/7", "the icons are numbered 1 to 6"), ("push/日本", "does not name a screen"),
        ("push/counter?n=abc", "n=abc: must be a number"), ("push/counter?n=\(Int.max)0", "0: must be a number"),
        ("push/pages?page=\(Int.min)", "must be a number from 1"),
    ])
    func anImpossibleActionIsRejectedWithAReason(_ url: String, _ sentence: String) async throws {
        let demo = try await start()
        let (status, message) = try await demo.refusal(of: "scenes://\(url)")
        #expect(status == .exited(70) && message.contains(sentence), "\(message)")
        #expect(try await demo.answer(to: "scenes://stack") == "menu")
    }

    @Test func aCounterRejectsASumThatIsTooLarge() async throws {
        let demo = try await start()
        #expect(try await demo.answer(to: "scenes://push/counter?n=\(Int.max - 1)") == "Counter \(Int.max - 1)")
        let (status, message) = try await demo.refusal(of: "scenes://add/2")
        #expect(status == .exited(70) && message.contains("\(Int.max - 1) + 2 is too large"), "\(message)")
        for _ in 0..<2 { try await demo.terminal.press("+") }
        try await demo.wait(forTitle: "Counter \(Int.max)")
    }

    @Test func aLongNoteIsShownAndAskedAbout() async throws {
        let demo = try await start()
        let text = String(repeating: "x", count: 50_000)
        #expect(try await demo.answer(to: "scenes://push/note?text=\(text)") == "Note")
        try await demo.terminal.press("C-x")
        let screen = try await demo.terminal.wait(forText: "[Clear: y]  [Keep: n]")
        #expect(screen.text.contains("Clear the note?") && screen.text.contains("│ …"))
    }

    @Test func aFadeIsAnsweredWhenItEnds() async throws {
        let demo = try await start()
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(try await demo.answer(to: "scenes://push/counter?n=1&fade=white&ms=700") == "Counter 1")
        #expect(clock.now - begin >= .milliseconds(700))
        try await demo.wait(forTitle: "Counter 1")
        #expect(try await demo.answer(to: "scenes://stack") == "menu\ncounter?n=1", "the fade is not part of the scene")
    }

    @Test func aFadeReportsItsEndToTheSceneToWhichItLeads() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/fade?fade=black&ms=300")
        try await demo.terminal.wait(forText: "the fade has finished, after 0.3 seconds")
        _ = try await demo.answer(to: "scenes://pop?fade=white&ms=200")
        try await wait(for: ["menu: turned (fade)", "menu: didAppear", "menu: finished (fade)"], on: demo)
        _ = try await demo.answer(to: "scenes://icon/5")
        try await demo.terminal.wait(forText: "the fade has finished, after 0.8 seconds")
    }

    @Test func theCardFlipsInAndLeavesByASlide() async throws {
        let demo = try await start()
        try await demo.terminal.press("4")
        try await wait(for: ["card: finished (flip)", "The question 問い: finished (flip)"], on: demo)
        try await demo.terminal.press("Escape")
        try await wait(for: ["menu: turned (slide)", "menu: didAppear", "menu: finished (slide)"], on: demo)
        _ = try await demo.answer(to: "scenes://push/card")
        _ = try await demo.answer(to: "scenes://pop?fade=white&ms=50")
        try await wait(for: ["menu: turned (fade)", "menu: didAppear", "menu: finished (fade)"], on: demo)
    }

    @Test func scenesAreNotifiedReleasedAndRecreated() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/counter?n=5")
        try await wait(
            for: [
                "menu: init", "menu: willAppear", "menu: didAppear", "counter: init", "menu: willDisappear",
                "counter: willAppear", "menu: didDisappear", "menu: sleep", "counter: didAppear",
            ], on: demo)
        _ = try await demo.answer(to: "scenes://release")
        try await wait(for: ["menu: released", "counter: memoryShort"], on: demo)
        _ = try await demo.answer(to: "scenes://pop")
        try await wait(
            for: [
                "menu: init", "counter: willDisappear", "menu: restore", "menu: willAppear", "counter: didDisappear",
                "counter: end", "menu: didAppear",
            ], on: demo)
    }

    @Test func everythingIsRestoredAfterKill9() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/counter?n=5")
        _ = try await demo.answer(to: "scenes://add/3")
        _ = try await demo.answer(to: "scenes://push/note?text=%E7%8A%AC%F0%9F%90%95")
        let again = try await demo.killAndStartAgain(showing: "> 犬🐕")
        try await wait(for: ["note: init", "note: restore", "note: willAppear", "note: didAppear"], on: again)
        #expect(try await again.answer(to: "scenes://pop") == "Counter 8")
        #expect(try await again.answer(to: "scenes://pop") == "Scenes")
        // Without the pasteboard nothing is restored, because the screens were stored there.
        _ = try await again.answer(to: "scenes://push/counter?n=5")
        try await Tools.client(["board", "remove", "demo.Scenes"]).succeeded()
        let anew = try await again.killAndStartAgain(showing: "enter: open")
        #expect(try await anew.answer(to: "scenes://stack") == "menu")
    }

    @Test(arguments: [
        ("note?text=ab", "y", "Note", "note"), ("note?text=ab", "n", "", "note?text=ab"),
        ("counter?n=5", "y", "Counter 0", "counter"), ("counter?n=5", "n", "", "counter?n=5"),
    ])
    func aRequestToClearWaitsForTheUser(
        _ scene: String, _ key: String, _ output: String, _ after: String
    ) async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/\(scene)")
        let client = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "scenes://clear"], input: .none)
        try await demo.terminal.wait(forText: "[Keep: n]")
        #expect(client.isRunning)
        try await demo.terminal.press(key)
        #expect(try await client.wait() == (key == "y" ? .success : .exited(2)))
        #expect(client.output.text == output)
        try await demo.terminal.wait(for: "no alert") { !$0.text.contains("[Keep: n]") }
        #expect(try await demo.answer(to: "scenes://stack") == "menu\n\(after)")
    }

    @Test func theCounterIsClearedByAKeyOnlyAfterYes() async throws {
        let demo = try await start()
        try await demo.terminal.press("1", "+", "+", "C-x")
        try await demo.terminal.wait(forText: "It will be 0 in place of 2.")
        try await demo.terminal.press("Escape")
        try await demo.wait(forTitle: "Counter 2")
        try await demo.terminal.press("C-x")
        try await demo.terminal.wait(forText: "Clear the counter?")
        try await demo.terminal.press("Left", "Enter")
        try await demo.wait(forTitle: "Counter 0")
    }

    @Test func cancellingARequestRemovesItsQuestion() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/note?text=ab")
        let client = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "scenes://clear"], input: .none)
        try await demo.terminal.wait(forText: "Clear the note?")
        client.signal(SIGINT)
        #expect(try await client.wait() == .exited(2))
        let screen = try await demo.terminal.wait(for: "no alert") { !$0.text.contains("Clear the note?") }
        #expect(screen.text.contains("> ab"))
    }

    @Test func theLayoutFollowsTheShapeOfTheTerminal() async throws {
        let demo = try await start()
        let wide = try await demo.terminal.wait(forText: "6 poem")
        #expect(wide.rows[3].contains("1 counter") && wide.rows[3].contains("3 pages"), "three in a row")
        try await demo.terminal.resize(columns: 40, rows: 30)
        try await demo.terminal.wait(for: "two in a row") {
            $0.rows[3].contains("2 note") && !$0.rows[3].contains("pages") && $0.rows[7].contains("4 card")
        }
        try await demo.terminal.press("Down", "Down", "Enter")
        try await demo.wait(forTitle: "Fade")
        _ = try await demo.answer(to: "scenes://replace/poem")
        try await demo.terminal.wait(for: "the poem in columns") {
            $0.text.contains("水  蛙  古") && $0.text.contains("の  飛  池")
        }
        try await demo.terminal.resize(columns: 80, rows: 24)
        try await demo.terminal.wait(forText: "蛙飛びこむ")
    }

    @Test func aProgramThatCannotRunSaysWhy() async throws {
        let demo = try await start()
        let second = try await RunningProcess.run(try Binaries.example("scene-demo"), [])
        #expect(second.status == .exited(73) && second.errors.contains("demo.Scenes"), "\(second)")
        try await demo.terminal.press("q")
        #expect(try await demo.terminal.end() == .success)
        let piped = try await RunningProcess.run(try Binaries.example("scene-demo"), [])
        #expect(piped.status == .exited(69) && piped.errors.contains("is not a terminal"), "\(piped)")
    }

    @Test func theDemoShowsTheScenesAndEnds() async throws {
        let broker = try await BrokerProcess.start()
        var environment = try ExamplePlace.environment
        let programs = ExamplePlace.folder(".build/debug")
        environment["PATH"] = "\(programs):\(environment["PATH"] ?? "")"
        let terminal = try await TerminalSession.start(
            ExamplePlace.folder("SceneManager/demo"), environment: environment)
        try await terminal.wait(forText: "Counter 5")
        try await terminal.wait(forText: "fade: finished (fade)")
        try await terminal.wait(forText: "蛙飛びこむ")
        #expect(try await terminal.end() == .signalled(SIGINT))
        #expect(broker.isRunning)
    }
}
