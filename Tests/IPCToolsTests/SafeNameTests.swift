import IPCTesting
import Testing

@testable import IPCTools

/// Tests of the names that are offered as completions, and of how a shell interprets them.
@Suite("Names for a shell")
struct SafeNameTests {
    /// Names with each character that can be typed, once in the middle and once at the start.
    private static let names = (0x20...0x7E).flatMap { code in
        let character = Character(Unicode.Scalar(UInt8(code)))
        return ["a\(character)b", "\(character)b"]
    }

    /// What bash would insert for each name if it were offered as a completion; bash expands the name first.
    private func offered(_ names: [String]) async throws -> [String] {
        let script = #"for name in "$@"; do IFS=$'\n' compgen -W "$name" 2>&1 | tr '\n' ' '; echo; done"#
        let output = try await RunningProcess.run("bash", ["-c", script, "bash"] + names).succeeded()
        return output.lines.map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
    }

    @Test func safeNamesStayUnchanged() async throws {
        let safe = Self.names.filter(SafeName.isSafe) + ["notes", "Einkäufe", "text/plain;charset=utf-8", "買い物"]
        #expect(safe.allSatisfy(SafeName.isSafe) && safe.count > 130)
        #expect(try await offered(safe) == safe)
        // Negative control: bash changes some of the names that are not safe.
        let unsafe = Self.names.filter { !SafeName.isSafe($0) }
        #expect(unsafe.count > 20)
        #expect(try await offered(unsafe) != unsafe)
    }

    @Test(arguments: ["$(x)", "`x`", "a b", "a\nb", "a\\b", "a'b", "a\"b", "{a,b}", "a*", "a?", "a[b]", "~root", "a&b"])
    func unsafeNamesAreOmitted(name: String) { #expect(!SafeName.isSafe(name)) }

    @Test func theNumberOfNamesIsLimited() {
        let names = GatheredNames(startingWith: "n")
        #expect(names.add("other") && names.add("n1") && names.add("n1"))
        let taken = (0..<1_000).prefix { names.add("n-\($0)") }
        names.end()
        #expect(names.all().first == "n1" && names.all().count == taken.count + 2)
        #expect(taken.count < 999)
        let newest = GatheredNames(startingWith: "")
        for number in 0..<1_000 { newest.add("\(number)", keepingNewest: true) }
        newest.end()
        #expect(newest.all().last == "999" && newest.all().first == "500")
    }

    @Test func thePasteboardIsFoundInTheLine() {
        func board(_ words: String...) -> String { CompletionRequest(words, words.count - 1, "").board }
        #expect(board("ipc-client", "get", "notes", "--type", "") == "notes")
        #expect(board("ipc-client", "paste", "--board", "notes", "--type", "") == "notes")
        #expect(board("ipc-client", "paste", "--type", "") == "general")
    }
}
