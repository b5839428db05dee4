import IPCTesting

/// The tests that a document names.
struct NamedTests {
    /// The Swift tests, each as `Suite/name`.
    let tests: [String]
    /// The other files below `Tests/`, such as attack programs, relative to the package.
    let files: [String]

    init(_ text: some StringProtocol) {
        let text = String(text)
        tests = text.matches(of: /`([A-Z]\w*Tests\/[^`]+)`/).map { String($0.1) }
        files = text.matches(of: /`(Tests\/[^`]+)`/).map { String($0.1) }
    }

    /// The named tests and files that do not exist.
    /// - Parameter declared: the names of all tests.
    func missing(declared: Set<String>) -> [String] {
        tests.filter { !declared.contains($0) } + files.filter { !FileContents.exists("\(ProjectFiles.root)/\($0)") }
    }
}
