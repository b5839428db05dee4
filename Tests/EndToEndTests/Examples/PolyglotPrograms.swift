import IPCTesting

/// A language of the example Polyglot, with its handler and its client.
enum Polyglot: String, CaseIterable, Sendable {
    case python = "Python"
    case javaScript = "JavaScript"
    case shell = "Shell"
    case c = "C"
    case libDBus = "LibDBus"
    case swift = "Swift"

    static let folder = ExamplePlace.folder("Polyglot")

    /// The scheme of its handler.
    var scheme: String { "polyglot.\(rawValue.lowercased())" }

    /// The source files.
    var sources: [String] {
        switch self {
        case .python: ["handler.py", "client.py"]
        case .javaScript: ["handler.js", "client.js"]
        case .shell: ["handler.sh", "client.sh"]
        case .c: ["handler.c", "client.c"]
        case .libDBus: ["libdbus-handler.c", "libdbus-client.c"]
        case .swift: ["Handler/Handler.swift", "Client/Client.swift"]
        }
    }

    /// The command that runs the handler or the client, one of ``sources``; a C program is compiled.
    private func command(_ source: String) async throws -> [String] {
        switch self {
        case .python, .javaScript, .shell: return ["\(Self.folder)/\(source)"]
        case .c: return [try await Self.compile(source, "gio-2.0")]
        case .libDBus: return [try await Self.compile(source, "dbus-1")]
        // A Swift program buffers its output to a pipe, so stdbuf makes it write line by line.
        case .swift:
            return ["stdbuf", "-oL", try Binaries.example("polyglot-\(source.prefix { $0 != "/" }.lowercased())")]
        }
    }

    private static func compile(_ source: String, _ library: String) async throws -> String {
        let program = try PrivateBus.current.directory.appending(String(source.dropLast(2)))
        if !FileContents.exists(program) {
            let flags = try await RunningProcess.run("pkg-config", ["--cflags", "--libs", library]).succeeded().output
            let words = flags.split(whereSeparator: \.isWhitespace).map(String.init)
            try await RunningProcess.run(
                "cc",
                ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-o", program, "\(folder)/\(source)"] + words
            ).succeeded()
        }
        return program
    }

    /// Starts the handler; returns when it reports that it is listening.
    func handler() async throws -> RunningProcess {
        let command = try await command(sources[0])
        let handler = try await RunningProcess.start(
            command[0], Array(command.dropFirst()), environment: try ExamplePlace.environment, input: .none)
        try await handler.waitForLine { $0 == "listening as demo.polyglot.\(self.rawValue) for \(self.scheme)" }
        return handler
    }

    /// Runs the client.
    func client(_ url: String, _ text: String) async throws -> ProcessOutput {
        let command = try await command(sources[1])
        return try await RunningProcess.run(
            command[0], command.dropFirst() + [url, text], environment: try ExamplePlace.environment)
    }
}
