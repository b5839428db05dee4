import IPCTesting
import Testing

/// Runs the documents that show commands line by line, with the programs installed as the README says. With
/// dbus-broker, installed service files start systemd units, and systemd does not search this installation.
@Suite(.privateBus, .enabled(if: BusImplementation.current == .daemon, "systemd does not see the installed units"))
struct WalkthroughTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    /// Installs the programs, and returns the command to start a shell with.
    private func installed() async throws -> [String] {
        let installation = try await Installation.make()
        let path = "PATH=\(installation.environment["PATH"] ?? "")"
        let home = installation.bus.directory.appending("home")
        return ["env", "--chdir=\(home)", path, "LC_ALL=C.UTF-8", "TERM=dumb"]
    }

    /// The command to start a shell with, if the document needs none of the programs.
    private func bare() throws -> [String] {
        ["env", "--chdir=\(try PrivateBus.current.directory.appending("home"))"]
    }

    private func walk(_ document: String, _ command: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "\(Self.root)/scripts/walkthrough", [document] + command, deadline: .seconds(120))
    }

    /// Walks through a document of the test's own, without the programs.
    private func walk(text: String) async throws -> ProcessOutput {
        let document = try PrivateBus.current.directory.appending("page.md")
        try FileContents.write(text, to: document)
        return try await walk(document, bare())
    }

    /// The output of `make run`, on its own bus.
    @Test func theDemonstrationHasTheOutcomesThatItPrints() async throws {
        let output = try await RunningProcess.run(
            "\(Self.root)/scripts/run", [Binaries.directory, "buy milk"], deadline: .seconds(120))
        #expect(output.status == .success, "\(output)")
        let exits = output.lines.filter { $0.hasPrefix("    exit ") }.map { String($0.dropFirst(4)) }
        #expect(exits == ["exit 0", "exit 1", "exit 70", "exit 0", "exit 0", "exit 0", "exit 0"], "\(output)")
        #expect(output.lines.count { $0 == "    buy milk" } == 4)
        // The control: without the programs, the script fails and says to run `make run`.
        let empty = try TemporaryDirectory("run")
        defer { empty.remove() }
        let failed = try await RunningProcess.run("\(Self.root)/scripts/run", [empty.path])
        #expect(failed.status != .success && failed.errors.contains("make run"))
    }

    /// Runs the commands that `make run` suggests in a shell, as a user would type them.
    @Test func theTipsOfTheDemonstrationWork() async throws {
        let bus = try PrivateBus.current
        let shown = try await RunningProcess.run(
            "\(Self.root)/scripts/run", [Binaries.directory], deadline: .seconds(120)
        ).succeeded()
        let tips = shown.lines.drop { $0 != "What to try next:" }.filter { $0.hasPrefix("    ") }
        #expect(tips.count > 5, "\(shown)")
        var environment = bus.environment
        environment["TMPDIR"] = bus.directory.path
        // The first tip starts a shell with "dbus-run-session", which reads the lines after it. The last line stops the
        // server, which would otherwise wait for the next bus.
        let script = tips.map { $0 + "\necho \"=> $?\"\n" }.joined() + "ls \"$SWIFT_IPC_STORE\"\nkill $!\n"
        let output = try await RunningProcess.run("bash", environment: environment, input: .text(script))
        #expect(output.lines.filter { $0.hasPrefix("=> ") } == tips.map { _ in "=> 0" }, "\(output)")
        // SWIFT_IPC_STORE has an effect: the store is there, and not in the user's data.
        #expect(output.lines.contains("store.sqlite"), "\(output)")
        #expect(!FileContents.exists(bus.directory.appending("data/swift-ipc/store")))
    }

    /// The README's sender in Python reports an error in one line, without a bus and without a broker.
    @Test(arguments: [true, false])
    func theSenderOfTheReadmeReportsAnError(hasBus: Bool) async throws {
        let bus = try PrivateBus.current
        let blocks = try FileContents.text("\(Self.root)/README.md").split(separator: "```python\n").dropFirst()
        let sender = try #require(blocks.first?.split(separator: "```").first)
        var environment = bus.environment
        if !hasBus { environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/bus" }
        let failed = try await RunningProcess.run(
            "/usr/bin/python3", ["-c", String(sender)], environment: environment)
        #expect(failed.status == .exited(1) && failed.output.isEmpty)
        #expect(failed.errors.split(separator: "\n").count == 1, "\(failed)")
    }

    /// Which blocks of a document run, and which do not.
    struct Page: Sendable {
        /// The minimum number of commands that run. A document without commands has 0.
        var commands = 0
        /// The blocks that do not run here: for each, in order, the reason in the comment before it.
        var skipped: [String] = []
    }

    private static let pages = [
        "README.md": Page(commands: 6, skipped: ["it builds, and \"make test\" would run this in itself"]),
        "docs/benchmarks.md": Page(skipped: ["it builds, and measures for ten minutes"]),
        "docs/connections.md": Page(skipped: ["needs another machine"]),
        "docs/dbus-interface.md": Page(
            commands: 3, skipped: ["needs Qt; \"make check-generators\" runs it"]),
        "docs/dbus-service.md": Page(
            skipped: [String](
                repeating: "it needs the service, which a test of this page builds and starts", count: 2)),
        "docs/desktop-links.md": Page(commands: 8),
        "docs/getting-started.md": Page(
            commands: 35, skipped: ["the tests install what was built, by the same script", "needs a display"]),
        "docs/operations.md": Page(commands: 9, skipped: ["needs systemd", "needs systemd"]),
        "docs/other-languages.md": Page(commands: 6),
        "docs/pasteboards.md": Page(commands: 8),
        "docs/sending-and-queues.md": Page(commands: 2),
        "docs/tools.md": Page(commands: 7),
    ]

    /// The README and all pages in `docs`. A page that is not listed in ``pages`` must not skip any block.
    private static let documents =
        ["README.md"]
        + (FileContents.names(in: "\(root)/docs") ?? []).sorted().filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }

    @Test(arguments: documents)
    func `the commands and programs of a document work as described`(document: String) async throws {
        let page = Self.pages[document] ?? Page()
        let path = "\(Self.root)/\(document)"
        let hasBlocks = try FileContents.text(path).contains(/```(sh|console|python)/)
        let output = try await walk(path, hasBlocks ? installed() : bare())
        #expect(output.status == .success, "\(output)")
        let name = document.split(separator: "/").last ?? ""
        let end = try #require(output.lines.last?.wholeMatch(of: /(\d+) commands did what (.*) says\./), "\(output)")
        #expect(end.2 == name)
        #expect(try #require(Int(end.1)) >= page.commands)
        #expect(output.skipped == page.skipped)
    }

    @Test func `each document in the table exists, and each of its commands runs or is skipped`() {
        #expect(Self.documents.count > 15)
        #expect(Set(Self.pages.keys).subtracting(Self.documents) == [])
        #expect(Self.pages.values.allSatisfy { $0.commands > 0 || !$0.skipped.isEmpty })
    }

    /// Negative controls: documents whose commands do something else than shown, or with a block that is silently
    /// skipped.
    @Test(arguments: [
        ("```console\n$ printf 'one two'\none three\n```\n", "not:\none three"),
        ("```sh\nfalse\n```\n", "exit 1"),
        ("<!-- try: run false -->\n```sh\ntrue\n```\n", "exit 1"),
        ("```python\nprint(1 + 1)    # 3\n```\n", "not:\n3"),
        ("```python\nraise SystemExit(3)\n```\n", "exit 3"),
        ("<!-- try: file one.py -->\n```python\nprint(1)\n```\n```console\n$ python3 one.py\n2\n```\n", "not:\n2"),
        ("```bash\ntrue\n```\n", "a block in the language 'bash'"),
        ("```\n$ true\n```\n", "a block in the language ''"),
        ("- A list:\n\n  ```sh\n  true\n  ```\n", "a block that does not begin"),
        ("~~~sh\ntrue\n~~~\n", "a block that does not begin"),
        ("```console\ntrue\n```\n", "a block without a command"),
        ("<!-- try: omit -->\n```sh\ntrue\n```\n", "a comment with the word 'omit'"),
    ])
    func `a mistake is found`(text: String, reason: String) async throws {
        let output = try await walk(text: text)
        #expect(output.status == .exited(70) && output.errors.hasPrefix("This is not what happened"), "\(output)")
        #expect(output.errors.contains(reason), "\(output)")
    }

    @Test func `a block that does not run is reported with its reason`() async throws {
        let text = "<!-- try: skip needs a display -->\n```sh\nfalse\n```\n"
        let more = "<!-- try: needs no-such-program sh -->\n```sh\nfalse\n```\n"
        let output = try await walk(text: text + more + "```sh\ntrue\n```\n")
        #expect(output.status == .success && output.lines.last == "1 commands did what page.md says.", "\(output)")
        #expect(output.skipped == ["needs a display", "there is no no-such-program"])
    }

    @Test func `a correct document has no mistakes`() async throws {
        let text = """
            <!-- try: file two.py -->
            ```python
            print("a program")
            ```
            ```console
            $ python3 two.py; echo done
            a program
            done
            ```
            ```python
            print("one")    # one
            print("two", 3)    # two 3
            ```

            """
        let output = try await walk(text: text)
        #expect(output.status == .success && output.lines.last == "2 commands did what page.md says.", "\(output)")
        #expect(output.skipped == [])
    }
}

extension ProcessOutput {
    /// The reasons for the blocks that were not run.
    fileprivate var skipped: [String] {
        lines.filter { $0.hasPrefix("skipped: ") }.map { String($0.dropFirst("skipped: ".count)) }
    }
}
