import IPCTesting
import Testing

/// As negative controls, tests use programs with deliberate defects. Checks that only debug builds contain them.
struct TestControlTests {
    /// The environment variable that selects a defect, and the names of all defects.
    private static let words = [
        "SWIFT_IPC_TEST_CONTROL", "acknowledge-before-commit", "synchronous-off", "drop-one", "deliver-twice",
    ]

    /// The lines that a release build compiles.
    static func releaseLines(_ text: String) -> [Substring] {
        // For each `#if` that is still open: whether its current branch is for debug builds only.
        var conditions: [Bool] = []
        return text.split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            switch words.first {
            case "#if": conditions.append(words.dropFirst() == ["DEBUG"])
            case "#else", "#elseif": conditions[conditions.count - 1] = false
            case "#endif": conditions.removeLast()
            default: break
            }
            return !conditions.contains(true)
        }
    }

    @Test func `release programs contain no test defects`() throws {
        var found: Set<String> = []
        for file in ProjectFiles.swiftFiles(below: "Sources") {
            let text = try FileContents.text("\(ProjectFiles.root)/Sources/\(file)")
            for word in Self.words where text.contains("\"\(word)\"") {
                found.insert(word)
                #expect(!Self.releaseLines(text).contains { $0.contains("\"\(word)\"") }, "\(word) in \(file)")
            }
        }
        #expect(found == Set(Self.words))
    }

    @Test func `lines of a release build are found`() {
        let inside = "#if DEBUG\n    b\n    #if os(Linux)\n    c\n    #endif\n#else\n    d\n#endif"
        let text = "a\n\(inside)\n#if os(Linux)\ne\n#endif"
        #expect(
            Self.releaseLines(text).map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("#") } == ["a", "d", "e"])
    }
}
