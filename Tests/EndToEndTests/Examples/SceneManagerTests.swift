import Glibc
import IPCTesting
import Testing

/// The example SceneManager in a terminal: keys, URLs, alerts, and the state after kill -9.
@Suite(.privateBus)
struct SceneManagerTests {
    private func start() async throws -> SceneTerminal {
        try await SceneTerminal.start("scene-demo", showing: "enter: fade through white")
    }

    @Test func keysMoveBetweenScenes() async throws {
        let demo = try await start()
        try await demo.terminal.press("Down", "Enter")
        try await demo.wait(forTitle: "Note")
        try await demo.terminal.press("Escape")
        try await demo.wait(forTitle: "Scenes")
        try await demo.terminal.press("Down", "b")
        try await demo.wait(forTitle: "Morning 朝")
        try await demo.terminal.press("Right")
        let noon = try await demo.wait(forTitle: "Noon 昼")
        #expect(noon.text.contains("○ ● ○"))
        try await demo.terminal.press("C-c")
        #expect(try await demo.terminal.end() == .signalled(SIGINT))
    }

    @Test func textIsEditedByCharacterAndClearedOnlyAfterYes() async throws {
        let demo = try await start()
        #expect(try await demo.answer(to: "scenes://push/note") == "Note")
        try await demo.terminal.type("日本語👨‍👩‍👧")
        try await demo.terminal.wait(for: "the cursor behind the family") { $0.cursorColumn == 5 + 8 }
        try await demo.terminal.press("BSpace")
        let shorter = try await demo.terminal.wait(for: "the cursor behind 語") { $0.cursorColumn == 5 + 6 }
        #expect(shorter.currentRow == "   > 日本語")
        try await demo.terminal.press("C-x")
        try await demo.terminal.wait(forText: "Clear the note?")
        try await demo.terminal.press("Enter")
        let kept = try await demo.terminal.wait(for: "the note without an alert") { !$0.text.contains("Clear the") }
        #expect(kept.text.contains("> 日本語"), "Enter alone loses nothing")
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
            ("stack", "menu\ncounter?n=8\ncard?side=back"),
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
    ])
    func anImpossibleActionIsRejectedWithAReason(_ url: String, _ sentence: String) async throws {
        let demo = try await start()
        let (status, message) = try await demo.refusal(of: "scenes://\(url)")
        #expect(status == .exited(70) && message.contains(sentence), "\(message)")
        #expect(try await demo.answer(to: "scenes://stack") == "menu")
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

    @Test func scenesAreNotifiedReleasedAndRecreated() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/counter?n=5")
        let pushed = try await demo.terminal.wait(forText: "menu: created\n   counter: created\n   menu: sleeps")
        #expect(!pushed.text.contains("card"), "what was not shown was not created")
        _ = try await demo.answer(to: "scenes://release")
        let released = try await demo.terminal.wait(forText: "menu: released")
        #expect(!released.text.contains("counter: released"), "what is seen stays")
        _ = try await demo.answer(to: "scenes://pop")
        try await demo.terminal.wait(
            forText: "menu: released\n   menu: created\n   counter: ended\n   counter: released\n   menu: restored")
    }

    @Test func everythingIsRestoredAfterKill9() async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/counter?n=5")
        _ = try await demo.answer(to: "scenes://add/3")
        _ = try await demo.answer(to: "scenes://push/note?text=%E7%8A%AC%F0%9F%90%95")
        let again = try await demo.killAndStartAgain(showing: "> 犬🐕")
        #expect(try await again.answer(to: "scenes://pop") == "Counter 8")
        #expect(try await again.answer(to: "scenes://pop") == "Scenes")
        // Without the pasteboard nothing is restored, because the screens were stored there.
        _ = try await again.answer(to: "scenes://push/counter?n=5")
        try await Tools.client(["board", "remove", "demo.Scenes"]).succeeded()
        let anew = try await again.killAndStartAgain(showing: "enter: fade through white")
        #expect(try await anew.answer(to: "scenes://stack") == "menu")
    }

    @Test(arguments: [("y", IPCTesting.ExitStatus.success, "Note", 5), ("n", .exited(2), "", 7)])
    func aRequestToClearWaitsForTheUser(
        _ key: String, _ status: IPCTesting.ExitStatus, _ output: String, _ cursor: Int
    ) async throws {
        let demo = try await start()
        _ = try await demo.answer(to: "scenes://push/note?text=ab")
        let client = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "scenes://clear"], input: .none)
        try await demo.terminal.wait(forText: "Clear the note?")
        #expect(client.isRunning)
        try await demo.terminal.press(key)
        #expect(try await client.wait() == status)
        #expect(client.output.text == output)
        try await demo.terminal.wait(for: "the cursor at its place") { $0.isCursorShown && $0.cursorColumn == cursor }
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

    @Test func aProgramThatCannotRunSaysWhy() async throws {
        let demo = try await start()
        let second = try await RunningProcess.run(try Binaries.example("scene-demo"), [])
        #expect(second.status == .exited(73) && second.errors.contains("demo.Scenes"), "\(second)")
        try await demo.terminal.press("q")
        #expect(try await demo.terminal.end() == .success)
        let piped = try await RunningProcess.run(try Binaries.example("scene-demo"), [])
        #expect(piped.status == .exited(69) && piped.errors.contains("is not a terminal"), "\(piped)")
    }
}
