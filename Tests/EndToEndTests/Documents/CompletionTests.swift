import IPCTesting
import Testing

/// What a shell offers when Tab is pressed, in the shells themselves.
@Suite(.privateBus)
struct CompletionTests {
    /// What a bash script offers for a command line, given as words of which the last one is to be completed.
    private func offered(bash words: [String]) async throws -> [String] {
        let script = try await self.script("bash", "ipc-client")
        let line = words.joined(separator: " ")
        let output = try await shell(
            "bash",
            [
                "-c",
                """
                . "$1"; shift
                COMP_LINE=$1 COMP_POINT=${#1}; shift
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
                __ipc-client_complete "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """, "bash", script, line,
            ] + words)
        return output.filter { !$0.isEmpty }
    }

    /// Runs a shell that finds the tools, and returns its output lines.
    private func shell(_ name: String, _ arguments: [String]) async throws -> [String] {
        var environment = try PrivateBus.current.environment
        environment["PATH"] = "\(Binaries.directory):\(environment["PATH"] ?? "")"
        return try await RunningProcess.run(name, arguments, environment: environment).succeeded().lines
    }

    /// The path of a script that a tool generated.
    private func script(_ shell: String, _ tool: String) async throws -> String {
        let path = try PrivateBus.current.directory.appending("\(tool).\(shell)")
        let made = try await RunningProcess.run(try Binaries.path(tool), ["--generate-completion-script", shell])
        try FileContents.write(made.succeeded().output, to: path)
        return path
    }

    private func fill() async throws {
        _ = try await Tools.client(["set", "notes", "--type", "text/html", "buy milk"]).succeeded()
        _ = try await Tools.client(["set", "novels", "x"]).succeeded()
        let claim = ["scheme", "register", "com.example.notes", "--application", "com.example.Notes", "--persistent"]
        _ = try await Tools.client(claim).succeeded()
    }

    @Test func bashOffersLiveNames() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try await offered(bash: ["ipc-client", "get", "no"]) == [])
        try await fill()
        let id = try await Tools.client(["send", "--queue", "--url", "com.example.notes:", "x"]).succeeded().lines[0]
        #expect(try await offered(bash: ["ipc-client", "get", "no"]) == ["notes", "novels"])
        #expect(try await offered(bash: ["ipc-client", "get", "nov"]) == ["novels"])
        #expect(try await offered(bash: ["ipc-client", "copy", "--board", "note"]) == ["notes"])
        #expect(try await offered(bash: ["ipc-client", "get", "notes", "--type", ""]) == ["text/html"])
        #expect(try await offered(bash: ["ipc-client", "open", "com"]) == ["com.example.notes:"])
        #expect(try await offered(bash: ["ipc-client", "scheme", "default", "com"]) == ["com.example.notes"])
        #expect(try await offered(bash: ["ipc-client", "scheme", "policy", "com"]) == ["com.example.Notes"])
        #expect(try await offered(bash: ["ipc-client", "request", "show", ""]).contains(id))
        #expect(try await offered(bash: ["ipc-client", "sch"]) == ["scheme"])
        #expect(try await offered(bash: ["ipc-client", "scheme", "reso"]) == ["resolve"])
        let list = ["ipc-client", "request", "list"]
        #expect(try await offered(bash: list + ["--state", "del"]) == ["delivered"])
        #expect(try await offered(bash: list + ["--application", "com"]) == ["com.example.Notes"])
        withExtendedLifetime(broker) {}
    }

    /// A person types half a pasteboard's name into each shell, and presses Tab and Return.
    @Test(arguments: [
        ("bash", ["bash", "--norc", "-i"], "source"), ("fish", ["fish", "--no-config", "-i"], "source"),
        ("zsh", ["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; source"),
    ])
    func tabCompletesANameOnATerminal(shell: String, command: [String], setUp: String) async throws {
        let broker = try await BrokerProcess.start()
        try await fill()
        let keys = try PrivateBus.current.directory.appending("keys.py")
        try FileContents.write(TypedKeys.script, to: keys)
        let source = "\(setUp) \(try await script(shell, "ipc-client"))"
        let answer = try await self.shell(
            "/usr/bin/python3", [keys, source, "ipc-client get not\t\n", "\r\nbuy milk"] + command)
        #expect(answer.last == "seen", "\(answer)")
        // The control: without Tab, the half name is used as it is, and there is no such pasteboard.
        let other = try await self.shell(
            "/usr/bin/python3", [keys, source, "ipc-client get not\n", "no pasteboard"] + command)
        #expect(other.last == "seen", "\(other)")
        withExtendedLifetime(broker) {}
    }

    /// Bash completes a pasteboard's name although a folder has the same name, adds no blank after a scheme, so that
    /// the rest of a URL can be typed, and still completes the names of files.
    @Test(arguments: [
        ("ipc-client get not\t\n", "\r\nbuy milk"), ("ipc-client scheme resolve com\tadd\n", "\r\ncom.example.Notes"),
        ("ipc-client set f --file blan\t\n ipc-client get f\n", "\r\nof a file"),
    ])
    func tabInBashDistinguishesFilesFromNames(keys: String, wanted: String) async throws {
        let broker = try await BrokerProcess.start()
        try await fill()
        let folder = try PrivateBus.current.directory.makeDirectory("here")
        try PrivateBus.current.directory.makeDirectory("here/notes")
        try FileContents.write("of a file", to: folder + "/blank in it")
        let typed = try PrivateBus.current.directory.appending("keys.py")
        try FileContents.write(TypedKeys.script, to: typed)
        let source = "cd \(folder); source \(try await script("bash", "ipc-client"))"
        let answer = try await shell("/usr/bin/python3", [typed, source, keys, wanted, "bash", "--norc", "-i"])
        #expect(answer.last == "seen", "\(answer)")
        withExtendedLifetime(broker) {}
    }

    /// Tab starts no program, and offers nothing if no broker is running.
    @Test func withoutABrokerNothingIsOfferedAndNoneIsStarted() async throws {
        let bus = try PrivateBus.current
        let mark = bus.directory.appending("started")
        try await bus.addService(name: "org.swiftipc.Broker1", exec: "/bin/sh -c \"touch \(mark); exit 1\"")
        #expect(try await offered(bash: ["ipc-client", "get", ""]).filter { !$0.hasPrefix("-") } == [])
        #expect(!FileContents.exists(mark))
        // The control: listing the pasteboards with a command starts the broker.
        _ = try await Tools.client(["board", "list"])
        #expect(FileContents.exists(mark))
        var environment = bus.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let alone = try await RunningProcess.run(
            try Binaries.path("ipc-client"),
            ["---completion", "get", "--", "positional@0", "2", "0", "ipc-client", "get", ""], environment: environment)
        #expect(alone.status == .success && alone.output == "\n" && alone.errors.isEmpty, "\(alone)")
    }

    /// Bash expands the words that it is offered, so a name that bash would run as a command is not offered.
    @Test func aNameIsNeverACommand() async throws {
        let broker = try await BrokerProcess.start()
        let mark = try PrivateBus.current.directory.appending("pwned")
        for name in ["no$(touch \(mark))", "no`touch \(mark)`", "no;touch", "no\\x", "no'x", "north"] {
            _ = try await Tools.client(["set", name, "x"]).succeeded()
        }
        let names = try await offered(bash: ["ipc-client", "get", "no"])
        #expect(names.contains("north") && names.allSatisfy { !$0.contains("touch") || $0 == "no;touch" }, "\(names)")
        #expect(!FileContents.exists(mark))
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: ["bash", "zsh", "fish"], ["ipc-client", "ipc-server", "ipc-broker"])
    func scriptsAreValidInTheirShell(shell: String, tool: String) async throws {
        let path = try await script(shell, tool)
        let check = try await RunningProcess.run(shell, ["-n", path])
        #expect(check.status == .success && check.errors.isEmpty, "\(check)")
        // The control: broken content is found.
        try FileContents.write(try FileContents.text(path) + "\nif (", to: path)
        #expect(try await RunningProcess.run(shell, ["-n", path]).status != .success)
    }
}
