import IPCTesting
import Testing

/// The documents that show commands, done line by line, with the programs installed as the README says. With dbus-broker the installed service
/// files start units of systemd, and systemd does not search the folder of this installation.
@Suite(.privateBus, .enabled(if: BusImplementation.current == .daemon, "systemd does not see the installed units"))
struct WalkthroughTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    /// Installs what was built where this bus looks for services, and gives the command that a shell is started with.
    private func installed() async throws -> [String] {
        let bus = try PrivateBus.current
        let prefix = bus.directory.path
        // The data directory of the bus is that of the installation.
        _ = try await RunningProcess.run("ln", ["-s", "data", "\(prefix)/share"]).succeeded()
        var environment = bus.environment
        environment["PREFIX"] = prefix
        _ = try await RunningProcess.run(
            "\(Self.root)/scripts/install", ["install", Binaries.directory], environment: environment
        ).succeeded()
        // The bus reads its services anew.
        try await bus.removeService(name: "org.example.Nobody")
        let path = "PATH=\(prefix)/bin:\(environment["PATH"] ?? "")"
        return ["env", "--chdir=\(bus.directory.appending("home"))", path, "LC_ALL=C.UTF-8", "TERM=dumb"]
    }

    private func walk(_ document: String) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "\(Self.root)/scripts/walkthrough", [document] + installed(), deadline: .seconds(120))
    }

    /// What `make run` shows, on a bus of its own.
    @Test func theDemonstrationHasTheOutcomesThatItShows() async throws {
        let output = try await RunningProcess.run(
            "\(Self.root)/scripts/run", [Binaries.directory, "buy milk"], deadline: .seconds(120))
        #expect(output.status == .success, "\(output)")
        let exits = output.lines.filter { $0.hasPrefix("    exit ") }.map { String($0.dropFirst(4)) }
        #expect(exits == ["exit 0", "exit 1", "exit 70", "exit 0", "exit 0", "exit 0", "exit 0"], "\(output)")
        #expect(output.lines.count { $0 == "    buy milk" } == 4)
        // The control: without a client it fails, and says so.
        let empty = try TemporaryDirectory("run")
        defer { empty.remove() }
        let failed = try await RunningProcess.run("\(Self.root)/scripts/run", [empty.path])
        #expect(failed.status != .success && failed.errors.contains("make run"))
    }

    @Test func theReadmeDoesWhatItSays() async throws {
        let output = try await walk("\(Self.root)/README.md")
        #expect(output.status == .success, "\(output)")
        #expect((output.lines.last ?? "").hasSuffix("commands did what README.md says."))
        #expect(output.lines.count { $0.hasPrefix("$ ipc-client") } >= 3)
    }

    @Test func theFirstHourDoesWhatItSays() async throws {
        let output = try await walk("\(Self.root)/docs/getting-started.md")
        #expect(output.status == .success, "\(output)")
        #expect((output.lines.last ?? "").hasSuffix("commands did what getting-started.md says."))
        #expect(output.lines.count { $0.hasPrefix("$ ipc-client") } > 25)
    }

    @Test func theReferenceOfTheToolsDoesWhatItSays() async throws {
        let output = try await walk("\(Self.root)/docs/tools.md")
        #expect(output.status == .success, "\(output)")
        #expect(output.lines.last == "2 commands did what tools.md says.")
    }

    @Test func theInterfaceDoesWhatItSays() async throws {
        let output = try await walk("\(Self.root)/docs/dbus-interface.md")
        #expect(output.status == .success, "\(output)")
        #expect(output.lines.last == "3 commands did what dbus-interface.md says.")
    }

    /// The control: what is not as it is told is found, in what is printed and in exit codes.
    @Test(arguments: [
        "```console\n$ printf 'one two'\none three\n```\n", "```sh\nfalse\n```\n",
        "<!-- try: run false -->\n```sh\ntrue\n```\n",
    ])
    func aMistakeIsFound(text: String) async throws {
        let document = try PrivateBus.current.directory.appending("mistake.md")
        try FileContents.write(text, to: document)
        let output = try await RunningProcess.run("\(Self.root)/scripts/walkthrough", [document, "env"])
        #expect(output.status == .exited(70) && output.errors.hasPrefix("This is not what happened"), "\(output)")
    }
}
