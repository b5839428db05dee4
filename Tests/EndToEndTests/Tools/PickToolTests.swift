import IPCTesting
import Testing

/// `pick` against the real broker: the user's choice is made by a command, or on a terminal.
@Suite(.privateBus)
struct PickToolTests {
    private func keep(_ texts: [String], on board: String = "general") async throws {
        _ = try await Tools.client(["board", "history", board, "--keep", "20"]).succeeded()
        for text in texts { _ = try await Tools.client(["copy", "--board", board, text]).succeeded() }
    }

    @Test func theChosenVersionBecomesTheContent() async throws {
        let broker = try await BrokerProcess.start()
        try await keep(["one", "two\nlines", "three"])
        let list = try PrivateBus.current.directory.appending("list")
        _ = try await Tools.client(["pick", "--with", "tee \(list) | sed -n 3p"]).succeeded()
        #expect(try await Tools.client(["paste"]).output == "one")
        let previews = try FileContents.read(list).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        #expect(previews.map { $0.drop { $0 != "\t" } } == ["\tthree", "\ttwo\\nlines", "\tone"])
        // The earlier versions are still there, and the chosen one is the newest.
        #expect(try await Tools.client(["board", "history", "general"]).lines.count { $0.contains("text/plain") } == 4)
        withExtendedLifetime(broker) {}
    }

    @Test func allTypesAreRestored() async throws {
        let broker = try await BrokerProcess.start()
        let page = try PrivateBus.current.directory.appending("page.html")
        try FileContents.write("<b>x</b>", to: page)
        try await keep([])
        _ = try await Tools.client(["copy", "--type", "text/html=\(page)", "--type", "image/png=\(page)"]).succeeded()
        _ = try await Tools.client(["copy", "later"]).succeeded()
        let json = try await Tools.client(["pick", "--with", "grep html", "--json"]).succeeded()
        #expect(json.output.contains(#""pasteboard":"general","change-count":"#), "\(json)")
        #expect(try await Tools.client(["paste", "--list-types"]).output == "text/html\nimage/png\n")
        #expect(try await Tools.client(["paste", "--type", "image/png"]).output == "<b>x</b>")
        withExtendedLifetime(broker) {}
    }

    @Test func nothingIsChangedWithoutAChoice() async throws {
        let broker = try await BrokerProcess.start()
        try await keep(["one", "two"])
        let before = try await Tools.client(["board", "history", "general"]).output
        let none = try await Tools.client(["pick", "--with", "cat > /dev/null; exit 1"])
        #expect(none.status == .exited(2) && none.errors.isEmpty, "\(none)")
        let wrong = try await Tools.client(["pick", "--with", "echo 7000000"])
        #expect(wrong.status == .exited(65) && wrong.errors.contains("7000000"), "\(wrong)")
        let missing = try await Tools.client(["pick", "--with", "no-such-program"])
        #expect(missing.status == .exited(70), "\(missing)")
        var environment = try PrivateBus.current.environment
        for variable in ["DISPLAY", "WAYLAND_DISPLAY"] { environment[variable] = nil }
        let nobody = try await Tools.client(["pick"], environment: environment)
        #expect(nobody.status == .exited(69) && nobody.errors.contains("--with"), "\(nobody)")
        // The current version stays what it is if it is chosen.
        _ = try await Tools.client(["pick", "--with", "head -n 1"]).succeeded()
        #expect(try await Tools.client(["board", "history", "general"]).output == before)
        withExtendedLifetime(broker) {}
    }

    @Test func secretsAreNotShown() async throws {
        let broker = try await BrokerProcess.start()
        try await keep(["one"])
        _ = try await Tools.client(["copy", "--sensitive"], input: .text("secret")).succeeded()
        let list = try PrivateBus.current.directory.appending("list")
        let none = try await Tools.client(["pick", "--with", "cat > \(list)"])
        #expect(none.status == .exited(2))
        let lines = try FileContents.read(list).split(separator: 10)
        #expect(lines.count == 1 && lines[0].suffix(4) == Array("\tone".utf8)[...])
        #expect(try await Tools.client(["paste"]).output == "secret")
        let empty = try await Tools.client(["set", "empty", "--once", "x"])
        #expect(empty.status == .success)
        #expect(try await Tools.client(["pick", "--board", "empty", "--with", "cat"]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    @Test func aTerminalShowsANumberedList() async throws {
        let broker = try await BrokerProcess.start()
        try await keep(["one", "two"])
        let terminal = try await TerminalSession.start(
            "env", ["PATH=/nowhere", try Binaries.path("ipc-client"), "pick"], columns: 80, rows: 20)
        _ = try await terminal.wait(forText: "2  one")
        _ = try await terminal.wait(forText: "number (nothing to cancel):")
        try await terminal.type("2")
        try await terminal.press("Enter")
        #expect(try await terminal.end() == .success)
        #expect(try await Tools.client(["paste"]).output == "one")
        withExtendedLifetime(broker) {}
    }
}
