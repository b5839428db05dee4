import IPCTesting
import Testing

/// Handlers and clients in five languages, in C with two libraries: every client talks to every handler.
@Suite(.privateBus)
struct PolyglotTests {
    /// Text that some program on the way could change: Japanese, emoji with several code points, a letter in two forms
    /// that Swift considers equal, quotation marks of every language, shell syntax, and blanks at both ends.
    private static let texts = [
        " こんにちは、世界 👩‍👩‍👧‍👦🇯🇵👋🏽 ", "é e\u{301} ｶﾞ ガ カ\u{3099}", #"'single' "double" \n \\ $HOME `id` $(id) %s %d {} *"#,
        "--help", "a\tb",
    ]
    private static let urlRest = "//host/日本 語?name=花子 🌸&rate=100%&é=e\u{301}#$HOME'\""

    /// The result of one request, as the handler saw it and as the client printed it.
    private struct Exchange {
        let client: Polyglot
        let handler: Polyglot
        let url: String
        let text: String
        var seen: [String] = []
        var answer: ProcessOutput?

        /// Whether every byte arrived, in both directions.
        var isExact: Bool {
            guard let answer, answer.status == .success, seen.count == 2 else { return false }
            // The bytes are compared, because Swift considers some different strings equal.
            return seen[0].utf8.elementsEqual(url.utf8) && seen[1].utf8.elementsEqual(text.utf8)
                && answer.outputBytes.elementsEqual("\(handler.rawValue) has: \(text)\n".utf8)
        }
    }

    private func exchange(
        _ client: Polyglot, _ handler: Polyglot, _ running: RunningProcess, _ text: String
    ) async throws -> Exchange {
        let url = "\(handler.scheme.uppercased()):\(Self.urlRest)&from=\(client.rawValue)"
        var exchange = Exchange(client: client, handler: handler, url: url, text: text)
        exchange.answer = try await client.client(url, text)
        guard exchange.answer?.status == .success else { return exchange }
        for _ in 0..<2 { exchange.seen += [try #require(try await running.nextLine())] }
        return exchange
    }

    @Test(arguments: Polyglot.allCases)
    func `a handler gets the bytes of every client, and every client gets its answer`(_ handler: Polyglot) async throws
    {
        _ = try await BrokerProcess.start()
        let running = try await handler.handler()
        for client in Polyglot.allCases {
            for text in Self.texts {
                let exchange = try await exchange(client, handler, running, text)
                #expect(exchange.isExact, "\(exchange)")
            }
        }
    }

    @Test func `control: a handler that normalizes the text is found`() async throws {
        _ = try await BrokerProcess.start()
        let honest = try FileContents.text("\(Polyglot.folder)/handler.py")
        let dishonest = honest.replacing(
            #"if context.get("items") else """#,
            with: "\n        import unicodedata; text = unicodedata.normalize('NFC', text)")
        try #require(dishonest != honest)
        let peer = try await PythonPeer.start(dishonest)
        try await peer.process.waitForLine { $0.hasPrefix("listening") }
        // The composed “é” arrives unchanged, but the decomposed one does not. Swift's string comparison sees no
        // difference.
        #expect(try await exchange(.shell, .python, peer.process, "é").seen[1] == "é")
        let changed = try await exchange(.shell, .python, peer.process, "e\u{301}")
        #expect(changed.seen[1] == changed.text && !changed.isExact)
    }

    @Test(arguments: Polyglot.allCases)
    func `a client reports a missing handler and a failed handler`(_ client: Polyglot) async throws {
        _ = try await BrokerProcess.start()
        let nobody = try await client.client("polyglot.nobody:x", "text")
        #expect(nobody.status != .success && nobody.output.isEmpty, "\(nobody)")
        #expect(nobody.errors.contains("no application handles"), "\(nobody)")
        _ = try await Tools.server(["--application", "demo.polyglot.Other", "--scheme", "polyglot.other", "--decline"])
        let declined = try await client.client("polyglot.other:x", "text")
        #expect(declined.status != .success && declined.output.isEmpty, "\(declined)")
        #expect(declined.errors.contains("declined"), "\(declined)")
    }

    @Test(arguments: Polyglot.allCases)
    func `a program has fewer than thirty lines`(_ language: Polyglot) throws {
        for source in language.sources + (language == .libDBus ? ["libdbus-item.h"] : []) {
            let text = try FileContents.text("\(Polyglot.folder)/\(source)")
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect((2..<30).contains(lines.count), "\(source)")
            #expect(lines.allSatisfy { $0.count <= 120 }, "\(source)")
        }
    }

    /// The Python and JavaScript handlers check their sender themselves; in Swift and ipc-server, the library does so.
    @Test(arguments: Polyglot.allCases)
    func `every handler except those in C rejects a sender that is not the broker`(_ handler: Polyglot) async throws {
        _ = try await BrokerProcess.start()
        let running = try await handler.handler()
        let called = try await RunningProcess.run(
            "busctl",
            [
                "--user", "call", "demo.polyglot.\(handler.rawValue)", "/demo/polyglot/\(handler.rawValue)",
                "org.swiftipc.URLHandler1", "OpenURL", "ssa{sv}", "0123456789abcdef", "\(handler.scheme):x", "0",
            ])
        if handler == .c || handler == .libDBus {
            #expect(called.status == .success, "\(called)")
        } else {
            #expect(called.status != .success && !running.output.text.contains("\(handler.scheme):x"), "\(called)")
        }
    }
}
