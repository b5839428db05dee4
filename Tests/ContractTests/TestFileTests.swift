import IPCTesting
import Testing

/// Checks that `scripts/tests` can select tests by the name of their suite: each test has a suite, and each named suite
/// exists.
struct TestFileTests {
    /// Lines that declare a test outside any suite; a test within a suite would be indented.
    static func testsOutsideSuites(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("@Test") }
    }

    @Test func `every test is in a suite`() throws {
        let files = ProjectFiles.swiftFiles(below: "Tests")
        #expect(files.count > 200)
        for file in files {
            let text = try FileContents.text("\(ProjectFiles.root)/Tests/\(file)")
            #expect(Self.testsOutsideSuites(text).isEmpty, "\(file)")
        }
    }

    @Test func `a test outside a suite is found`() {
        #expect(Self.testsOutsideSuites("import Testing\n\n@Test func free() {}\n") == ["@Test func free() {}"])
        #expect(Self.testsOutsideSuites("struct A {\n    @Test func own() {}\n}\n").isEmpty)
    }

    /// The suites that the script lists to run alone, one per line, as `Module.Suite`.
    static func suitesThatRunAlone(_ script: String) -> [Substring] {
        script.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.contains(/^[A-Za-z]+Tests\.[A-Za-z]+$/) }
    }

    @Test func `each suite that runs alone exists`() throws {
        let suites = Self.suitesThatRunAlone(try FileContents.text("\(ProjectFiles.root)/scripts/tests"))
        #expect(suites.count > 5)
        for suite in suites {
            let (module, name) = (suite.prefix { $0 != "." }, suite.drop { $0 != "." }.dropFirst())
            let declaration = "struct \(name) {"
            let isDeclared = try ProjectFiles.swiftFiles(below: "Tests/\(module)").contains {
                try FileContents.text("\(ProjectFiles.root)/Tests/\(module)/\($0)").contains(declaration)
            }
            #expect(isDeclared, "\(suite)")
        }
    }
}
