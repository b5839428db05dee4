import IPCTesting
import Testing

private let toolsAreThere = ["ipc-client", "ipc-server"].allSatisfy { (try? Binaries.path($0)) != nil }

/// Arguments that are not UTF-8, in many positions; Linux passes them to the program unchanged.
@Suite(.privateBus, .enabled(if: toolsAreThere, "the tools are not built"))
struct CommandLineTests {
    /// Byte sequences that no UTF-8 encoder produces; see table 3-7 of the Unicode Standard.
    private static let malformed: [(String, [UInt8])] = [
        ("a byte that never occurs", [0xFF]), ("another", [0xFE]), ("a continuation alone", [0x80]),
        ("a start alone", [0xC3]), ("two of three bytes", [0xE3, 0x81]), ("three of four bytes", [0xF0, 0x9F, 0x98]),
        ("an overlong NUL", [0xC0, 0x80]), ("an overlong slash", [0xE0, 0x80, 0xAF]),
        ("a surrogate", [0xED, 0xA0, 0x80]),
        ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("Latin-1", Array("gr".utf8) + [0xFC] + Array("n".utf8)),
        ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC]), ("UTF-16", [0xFF, 0xFE, 0x61]),
    ]

    struct Row: Sendable, Hashable {
        let name: String
        let tool: String
        let arguments: [[UInt8]]
        /// The position of the argument that is not UTF-8, counted from 1.
        let place: Int
    }

    private static let places: [(tool: String, before: [String], prefix: String, after: [String])] = [
        ("ipc-client", [], "", []), ("ipc-client", ["send"], "", []), ("ipc-client", ["send", "hello"], "", ["world"]),
        ("ipc-client", ["send", "--url"], "handler.demo:", ["hello"]),
        ("ipc-client", ["send"], "--url=handler.demo:", []),
        ("ipc-client", ["send", "--pasteboard"], "b", ["hello"]),
        ("ipc-client", ["send", "--application"], "demo.", ["x"]),
        ("ipc-client", ["send", "--timeout"], "1", ["x"]), ("ipc-client", ["send", "--type"], "text/", ["x"]),
        ("ipc-client", ["send", "--file"], "/tmp/", []), ("ipc-client", ["open"], "handler.demo:", []),
        ("ipc-client", ["scheme", "can-open"], "handler.demo:", []),
        ("ipc-client", ["scheme", "resolve"], "handler.demo:", []),
        ("ipc-client", ["scheme", "list"], "handler", []),
        ("ipc-client", ["scheme", "default"], "handler", ["demo.Handler"]),
        ("ipc-client", ["scheme", "default", "handler.demo"], "demo.", []),
        ("ipc-client", ["scheme", "register", "--application", "demo.Stored", "--persistent"], "s", []),
        ("ipc-client", ["scheme", "register", "--persistent", "--application"], "demo.", ["s"]),
        ("ipc-client", ["scheme", "unregister"], "handler", ["--application", "demo.Handler"]),
        ("ipc-client", ["get"], "canary", []),
        ("ipc-client", ["get", "canary", "--type"], "text/", []), ("ipc-client", ["set", "canary"], "x", []),
        ("ipc-client", ["set"], "canary", ["x"]), ("ipc-client", ["board", "clear"], "canary", []),
        ("ipc-client", ["board", "remove"], "canary", []), ("ipc-client", ["--help"], "", []),
        ("ipc-client", ["board", "list", "--"], "", []),
        ("ipc-server", [], "", []), ("ipc-server", ["--scheme"], "s", []),
        ("ipc-server", ["--application"], "demo.", []),
        ("ipc-server", ["--reply"], "thanks ", []), ("ipc-server", ["--exec"], "echo ", []),
        ("ipc-broker", [], "", []), ("ipc-broker", ["--store"], "/tmp/", []),
    ]

    static let rows: [Row] =
        places.enumerated().map { number, place in
            let (name, bytes) = malformed[number % malformed.count]
            let arguments =
                place.before.map { Array($0.utf8) } + [Array(place.prefix.utf8) + bytes]
                + place.after.map { Array($0.utf8) }
            return Row(
                name: "\(name) behind “\(([place.tool] + place.before + [place.prefix]).joined(separator: " "))”",
                tool: place.tool, arguments: arguments, place: place.before.count + 1)
        }
        + malformed.map { name, bytes in
            Row(
                name: "\(name) alone", tool: "ipc-client",
                arguments: [Array("open".utf8), Array("handler.demo:".utf8) + bytes + [0x78]], place: 2)
        }

    @Test func `I20, I23: an argument that is not UTF-8 is rejected with its position, and nothing is sent`()
        async throws
    {
        #expect(Set(Self.rows).count >= 20)
        let scene = try await BadInputScene.start()
        try await scene.runRounds {
            for row in Self.rows {
                let output = try await RunningProcess.run(Binaries.path(row.tool), rawArguments: row.arguments)
                #expect(output.status == .exited(65), "\(row.name): \(output)")
                #expect(output.outputBytes.isEmpty, "\(row.name): \(output)")
                #expect(
                    output.errors.contains("UTF-8") && output.errors.contains("\(row.place)"), "\(row.name): \(output)")
                #expect(
                    String(validating: output.errorBytes, as: UTF8.self) != nil, "\(row.name): the message is not UTF-8"
                )
            }
        }
    }

    @Test(arguments: ["ipc-broker", "ipc-server", "ipc-client"])
    func `I23: an error shows no control characters of the arguments`(tool: String) async throws {
        for word in ["\u{1B}[31m", "--\u{1B}[31m", "\u{9B}31m\u{7}"] {
            let output = try await RunningProcess.run(Binaries.path(tool), [word])
            #expect(output.status == .exited(64), "\(output)")
            #expect(output.errors.hasPrefix("\(tool): "), "\(output)")
            #expect(!output.errors.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        }
    }

    @Test(arguments: ["ipc-broker", "ipc-server", "ipc-client"])
    func `help that cannot be written is an error`(tool: String) async throws {
        let path = try Binaries.path(tool)
        let full = try await RunningProcess.run("/bin/sh", ["-c", "exec \"$0\" --help >/dev/full", path])
        #expect(full.status == .exited(74) && full.errors.hasPrefix("\(tool): cannot write"), "\(full)")
        let shown = try await RunningProcess.run(path, ["--help"])
        #expect(shown.status == .success && shown.output.hasPrefix("OVERVIEW"), "\(shown)")
    }

    @Test func `I20, I23: the program for desktop handlers rejects what is not UTF-8, and loses no answer`()
        async throws
    {
        let path = try Binaries.path("ipc-desktop-open")
        for (command, code) in [
            (#"printf '\0demo:x' | "$0" launch none.desktop"#, Int32(69)),
            (#"printf '\0demo:x' | "$0" launch none.desktop >/dev/full"#, 74),
            (#"printf '\0demo:\377' | "$0" launch none.desktop"#, 64),
        ] {
            let output = try await RunningProcess.run("/bin/sh", ["-c", command, path])
            #expect(output.status == .exited(code), "\(command): \(output)")
        }
    }

    @Test func `an argument in any script is accepted`() async throws {
        let scene = try await BadInputScene.start()
        let output = try await RunningProcess.run(Binaries.path("ipc-client"), ["set", "日本語 ü 😀", "grün 😀"]).succeeded()
        #expect(output.status == .success)
        let read = try await RunningProcess.run(Binaries.path("ipc-client"), ["get", "日本語 ü 😀"]).succeeded()
        #expect(read.output.contains("grün 😀"))
        try await scene.expectIdle("after the tools")
    }
}
