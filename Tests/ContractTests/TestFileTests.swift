import IPCTesting
import Testing

/// `scripts/tests` runs suites again, so there is no test outside of one.
struct TestFileTests {
    /// Lines on which a test begins that stands in no suite, which would be indented.
    static func testsOutsideSuites(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("@Test") }
    }

    @Test func `every test stands in a suite`() throws {
        let files = ProjectFiles.swiftFiles(below: "Tests")
        #expect(files.count > 200)
        for file in files {
            let text = try FileContents.text("\(ProjectFiles.root)/Tests/\(file)")
            #expect(Self.testsOutsideSuites(text).isEmpty, "\(file)")
        }
    }

    @Test func `a test outside of a suite is seen`() {
        #expect(Self.testsOutsideSuites("import Testing\n\n@Test func free() {}\n") == ["@Test func free() {}"])
        #expect(Self.testsOutsideSuites("struct A {\n    @Test func own() {}\n}\n").isEmpty)
    }
}
