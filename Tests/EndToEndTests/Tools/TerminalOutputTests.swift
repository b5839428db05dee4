import Glibc
import IPCTesting
import Testing

/// What the client prints on a terminal and in a pipe.
@Suite(.privateBus)
struct TerminalOutputTests {
    private static let binary: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Runs the client on a terminal until it exits.
    private func onTerminal(
        _ arguments: [String], environment: [String: String]? = nil
    ) async throws -> (status: IPCTesting.ExitStatus, screen: String) {
        let terminal = try await TerminalSession.start(
            try Binaries.path("ipc-client"), arguments, columns: 200, rows: 20, environment: environment)
        let status = try await terminal.end()
        return (status, try await terminal.screen.text)
    }

    @Test func `binary content is not written to a terminal, unless it is forced`() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "board", "--type", "image/png"], input: .bytes(Self.binary)).succeeded()
        _ = try await Tools.client(["copy"], input: .bytes(Self.binary)).succeeded()
        for arguments in [["get", "board"], ["paste"], ["get", "board", "--type", "image/png"]] {
            let (status, screen) = try await onTerminal(arguments)
            #expect(status == .exited(65), "\(arguments): \(screen)")
            #expect(screen.contains("--output FILE") && screen.contains("pipe") && !screen.contains("PNG"), "\(screen)")
        }
        let (status, screen) = try await onTerminal(["get", "board", "--output", "-"])
        #expect(status == .success && screen.contains("PNG"), "\(screen)")
        // The control: a pipe gets the bytes with and without `--output -`.
        #expect(try await Tools.client(["get", "board"]).outputBytes == Self.binary)
        #expect(try await Tools.client(["get", "board", "--output", "-"]).outputBytes == Self.binary)
        withExtendedLifetime(broker) {}
    }

    @Test func `JSON is on one line, or indented with --json=pretty`() async throws {
        let broker = try await BrokerProcess.start()
        let short = #"{"pasteboard":"board","change-count":"#
        for form in ["--json", "--json=short"] {
            let written = try await Tools.client(["set", "board", "text", form]).succeeded()
            #expect(written.lines.count == 1 && written.output.hasPrefix(short), "\(written)")
        }
        let pretty = try await Tools.client(["set", "board", "text", "--json=pretty"]).succeeded()
        #expect(pretty.output.hasPrefix("{\n  \"pasteboard\": \"board\",\n  \"change-count\": "), "\(pretty)")
        let rows = try await Tools.client(["board", "list", "--json=pretty"]).succeeded()
        #expect(rows.lines.count { $0 == "{" } == 2 && rows.lines.count { $0 == "}" } == 2, "\(rows)")
        // Errors have the same form.
        let missing = try await Tools.client(["get", "nothing", "--json=pretty"])
        #expect(missing.status == .exited(66) && missing.errors.hasPrefix("{\n  \"error\": \"NoSuchPasteboard\""))
        let wrong = try await Tools.client(["board", "list", "--json=yaml"])
        #expect(wrong.status == .exited(64) && wrong.errors.contains("--json=pretty"), "\(wrong)")
        // A word after --json is text, not a form.
        #expect(try await Tools.client(["set", "board", "--json", "pretty"]).status == .success)
        #expect(try await Tools.client(["get", "board"]).output == "pretty")
        withExtendedLifetime(broker) {}
    }

    @Test func `a terminal shows that large content is being stored`() async throws {
        let broker = try await BrokerProcess.start()
        let large = try PrivateBus.current.directory.appending("large")
        _ = try await RunningProcess.run("truncate", ["-s", "3M", large]).succeeded()
        let set = ["set", "board", "--file", large, "--type", "a/b"]
        broker.signal(SIGSTOP)
        let terminal = try await TerminalSession.start(
            try Binaries.path("ipc-client"), set, columns: 80, rows: 20, environment: nil)
        _ = try await terminal.wait(forText: "storing  3.0 MiB  ")
        // The control: nothing is shown if standard error is not a terminal.
        let piped = try await Tools.client(set + ["--timeout", "2s"])
        #expect(piped.status == .exited(75) && !piped.errors.contains("storing"), "\(piped)")
        broker.signal(SIGCONT)
        #expect(try await terminal.end() == .success)
        #expect(try await !terminal.screen.text.contains("storing"))
    }

    @Test func `text is written to a terminal, except text that changes the terminal`() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", "grün\tund 日本語"]).succeeded()
        let (status, screen) = try await onTerminal(["paste"])
        #expect(status == .success && screen.contains("日本語"), "\(screen)")
        _ = try await Tools.client(["copy", "\u{1B}]0;title\u{07}text"]).succeeded()
        let (refused, _) = try await onTerminal(["paste"])
        #expect(refused == .exited(65))
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: ["image/png", "text/plain"])
    func `content that cannot be shown on a terminal is not consumed`(_ type: String) async throws {
        let broker = try await BrokerProcess.start()
        for options in [["--once"], []] {
            let set = ["set", "board", "--type", type] + options
            _ = try await Tools.client(set, input: .bytes(Self.binary)).succeeded()
            let (status, screen) = try await onTerminal(["get", "board", "--take"])
            #expect(status == .exited(65), "\(screen)")
            #expect(try await Tools.client(["get", "board", "--take"]).outputBytes == Self.binary, "\(screen)")
        }
        withExtendedLifetime(broker) {}
    }

    @Test func `the environment forces or forbids colour`() async throws {
        let escape = "\u{1B}[1;31m"
        func environment(_ variables: [String: String]) throws -> [String: String] {
            try PrivateBus.current.environment.merging(variables) { $1 }
        }
        let wrong = ["board", "prune"]
        let forced = try await Tools.client(wrong, environment: environment(["CLICOLOR_FORCE": "1"]))
        #expect(forced.errors.hasPrefix(escape), "\(forced)")
        // The controls: a pipe gets no colour by default, and NO_COLOR wins.
        for variables in [[:], ["CLICOLOR_FORCE": "0"], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]] {
            let plain = try await Tools.client(wrong, environment: environment(variables))
            #expect(plain.errors.hasPrefix("ipc-client: "), "\(plain)")
        }
        let terminal = ["TERM": "xterm"]
        #expect(try await onTerminal(wrong, environment: environment(terminal)).screen.hasPrefix("ipc-client: "))
    }

    @Test(arguments: [
        ["request", "show"], ["request", "trace"], ["board", "show", "demo.IPCClient"],
        ["watch", "demo.IPCClient", "--since", "0", "--count", "1"],
    ])
    func `times are local on a terminal, and in UTC in a pipe`(_ command: [String]) async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("text")
        let arguments = command + (command[0] == "request" ? [id] : [])
        var environment = try PrivateBus.current.environment
        environment["TZ"] = "JST-9"
        let (status, screen) = try await onTerminal(arguments, environment: environment)
        #expect(status == .success && screen.contains("+09:00"), "\(screen)")
        #expect(!screen.contains(/T[0-9:]{8}(\.[0-9]{3})?Z/), "\(screen)")
        let piped = try await Tools.client(arguments, environment: environment).succeeded()
        #expect(piped.output.contains(/T[0-9:]{8}(\.[0-9]{3})?Z/) && !piped.output.contains("+09:00"), "\(piped)")
        withExtendedLifetime(broker) {}
    }
}
