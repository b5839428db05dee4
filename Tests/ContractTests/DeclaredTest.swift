import IPCTesting

/// A test as declared in its source file.
struct DeclaredTest {
    /// The suite and the name that a test run prints: `Suite/name`.
    let name: String
    /// The numbers of the invariants that the name cites.
    let invariants: [Int]

    /// The tests of all modules. If a file cannot be read, its tests are missing here, and a check reports them.
    static let ofAllModules = ProjectFiles.swiftFiles(below: "Tests").flatMap {
        all(in: (try? FileContents.text("\(ProjectFiles.root)/Tests/\($0)")) ?? "")
    }

    private init(suite: Substring, name: Substring) {
        self.name = "\(suite)/\(name)"
        invariants = name.matches(of: /(?:^I|, I|_I|^i)([0-9]+)(?=[:,A-Z]|$)/).compactMap { Int($0.1) }
    }

    /// The cited numbers for which there is no invariant.
    var unknownInvariants: [Int] { invariants.filter { !InvariantDocument.numbers.contains($0) } }

    /// The tests of one source file.
    static func all(in text: String) -> [DeclaredTest] {
        // A suite is declared at the start of a line; its tests are indented.
        let suites = /^(?:@.+ )?(?:[a-z]+ )*(?:struct|class|enum|actor|extension) (\w+)/.anchorsMatchLineEndings()
        var suite: Substring = ""
        var tests: [DeclaredTest] = []
        for (index, part) in text.split(separator: "@Test", omittingEmptySubsequences: false).enumerated() {
            // The first part, before the first `@Test`, contains no test.
            if index > 0, let name = name(behindAttribute: part) {
                tests.append(DeclaredTest(suite: suite, name: name))
            }
            suite = part.matches(of: suites).last?.1 ?? suite
        }
        return tests
    }

    /// The display name of a test, or else the name of its function.
    private static func name(behindAttribute text: Substring) -> Substring? {
        if let display = text.prefixMatch(of: /\(\s*"((?:[^"\\]|\\.)*)"/) { return display.1 }
        return text.firstMatch(of: /func (?:`([^`]+)`|(\w+))/).flatMap { $0.1 ?? $0.2 }
    }
}
