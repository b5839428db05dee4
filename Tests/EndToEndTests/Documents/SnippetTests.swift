import IPCTesting
import Testing

/// Compiles every piece of Swift in the README, in `docs/` and in the library's articles.
///
/// Each block marked `swift` becomes the body of an asynchronous function. Its imports go to the top of the file, and
/// if it uses `app` without creating it, `app` becomes a parameter. Anything else that it needs is in comments before
/// it, which a reader does not see: `<!-- code: LINES -->` goes before it, `<!-- type: LINES -->` outside the function,
/// and `<!-- code: skip REASON -->` leaves it out.
@Suite struct SnippetTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")
    private static let catalogue = "Sources/IPC/Documentation.docc"

    private struct Snippet {
        var place: String
        var lines: [Substring]
        var before: [Substring] = []
        var outside: [Substring] = []
    }

    private var documents: [String] {
        let articles = ["docs", Self.catalogue].flatMap { folder in
            (FileContents.names(in: "\(Self.root)/\(folder)") ?? []).sorted().map { "\(folder)/\($0)" }
        }
        return ["README.md"] + articles.filter { $0.hasSuffix(".md") }
    }

    private func snippets(_ document: String, _ text: String) -> [Snippet] {
        var snippets: [Snippet] = []
        var before: [Substring] = []
        var outside: [Substring] = []
        var open: Snippet?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let comment = line.wholeMatch(of: /<!-- (code|type): (.*) -->/) {
                if comment.1 == "code" { before.append(comment.2) } else { outside.append(comment.2) }
            } else if line == "```swift" {
                open = Snippet(place: "\(document):\(number + 1)", lines: [], before: before, outside: outside)
                (before, outside) = ([], [])
            } else if line == "```", let snippet = open {
                if snippet.before.first?.hasPrefix("skip ") != true { snippets.append(snippet) }
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return snippets
    }

    /// A Swift file that contains all snippets.
    private func program(_ snippets: [Snippet]) -> String {
        var imports: Set<Substring> = ["import IPC"]
        var text = ""
        for (number, snippet) in snippets.enumerated() {
            imports.formUnion(snippet.lines.filter { $0.hasPrefix("import ") })
            let body = (snippet.before + snippet.lines.filter { !$0.hasPrefix("import ") })
            let makesApp = body.contains { $0.contains("let app =") }
            text += snippet.outside.map { $0 + "\n" }.joined()
            text += "func snippet\(number)(\(makesApp ? "" : "app: Application")) async throws {\n"
            text += "#sourceLocation(file: \"\(snippet.place)\", line: 1)\n"
            text += body.map { "    \($0)\n" }.joined() + "#sourceLocation()\n}\n"
        }
        return imports.sorted().joined(separator: "\n") + "\n" + text
    }

    /// The compiler's output for a file, and its exit code.
    private func check(_ program: String) async throws -> ProcessOutput {
        let directory = try TemporaryDirectory("snippets")
        defer { directory.remove() }
        let file = directory.appending("snippets.swift")
        try FileContents.write(program, to: file)
        return try await SwiftCompiler.run(file, ["-typecheck"])
    }

    @Test func everySnippetCompiles() async throws {
        let all = try documents.flatMap { snippets($0, try FileContents.text("\(Self.root)/\($0)")) }
        #expect(all.count >= 20)
        let output = try await check(program(all))
        #expect(output.status == .success, "\(output.errors)")
    }

    /// The places of complete programs without a "catch": if there is no bus, their top-level code ends in a crash.
    private func crashing(_ snippets: [Snippet]) -> [String] {
        snippets.filter { snippet in
            snippet.lines.contains("import IPC") && !snippet.lines.contains { $0.hasPrefix("} catch") }
        }.map(\.place)
    }

    @Test func everyProgramReportsItsErrors() throws {
        let all = try documents.flatMap { snippets($0, try FileContents.text("\(Self.root)/\($0)")) }
        #expect(all.count { $0.lines.contains("import IPC") } >= 6)
        #expect(crashing(all) == [])
        // The control: a program without a "catch" is found.
        let text = "```swift\nimport IPC\n\n_ = try await Application.connect(id: \"a.b\")\n```\n"
        #expect(crashing(snippets("wrong.md", text)) == ["wrong.md:1"])
    }

    /// The control: code that does not compile is found, with its location.
    @Test func aMistakeIsFound() async throws {
        let text = "<!-- code: let board = app.generalPasteboard -->\n```swift\ntry await board.setSting(\"x\")\n```\n"
        let output = try await check(program(snippets("wrong.md", text)))
        #expect(output.status != .success)
        #expect(output.errors.contains("wrong.md:2") && output.errors.contains("setSting"), "\(output.errors)")
    }
}
