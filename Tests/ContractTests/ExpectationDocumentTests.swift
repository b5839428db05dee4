import IPCTesting
import Testing

/// `docs/expectations.md` and the tests agree.
struct ExpectationDocumentTests {
    /// The cells of each numbered row of a table.
    private func rows(of text: String) -> [[Substring]] {
        text.split(separator: "\n").filter { $0.contains(/^\| [0-9]+ \|/) }.map { $0.split(separator: " | ") }
    }

    /// The suites in the last column that no test file declares.
    private func unknownSuites(_ rows: [[Substring]], declared: Set<String>) -> [String] {
        rows.compactMap { $0.last?.firstMatch(of: /`(\w+Tests)`/).map { String($0.1) } }
            .filter { !declared.contains($0) }
    }

    /// The names of the files with tests, which are those of their suites (`TestFileTests`).
    private static let suites = Set(
        ProjectFiles.swiftFiles(below: "Tests").compactMap { $0.split(separator: "/").last?.dropLast(6) }
            .map(String.init))

    private func text() throws -> String {
        try FileContents.text("\(ProjectFiles.root)/docs/expectations.md")
    }

    @Test func `each of the 35 expectations has a row, which names a suite that exists`() throws {
        let rows = rows(of: try text())
        #expect(rows.map { $0[0] } == (1...35).map { "| \($0)" })
        #expect(rows.filter { $0.count != 5 } == [])
        #expect(rows.filter { $0.last?.contains(/`(\w+Tests|make [a-z-]+)`/) != true } == [])
        #expect(unknownSuites(rows, declared: Self.suites) == [])
    }

    @Test func `a suite that does not exist is found`() throws {
        let changed = rows(of: try text().replacing("`ColdStartTests`", with: "`WarmStartTests`"))
        #expect(unknownSuites(changed, declared: Self.suites) == ["WarmStartTests"])
    }
}
