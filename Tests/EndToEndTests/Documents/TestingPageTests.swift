import IPCTesting
import Testing

/// The tests in `docs/testing.md` are those of the example TestKitSample, which `make check` runs.
@Suite struct TestingPageTests {
    private static let reason = "<!-- code: skip it is in Examples/TestKitSample -->\n```swift\n"

    /// The lines of a text, without their indentation.
    private static func lines(_ text: some StringProtocol) -> [Substring] {
        text.split(separator: "\n").map { Substring($0).drop { $0 == " " } }
    }

    /// The blocks of a page that should be in a source, but are not.
    private static func missing(in source: String, of page: String) -> [Substring] {
        blocks(page).filter { !lines(source).contains(lines($0)) }
    }

    private static func blocks(_ page: String) -> [Substring] {
        page.split(separator: reason).dropFirst().compactMap { $0.split(separator: "```").first }
    }

    @Test func `the page shows the tests of the example`() throws {
        let page = try FileContents.text(ExamplePlace.folder("../docs/testing.md"))
        let source = try FileContents.text(ExamplePlace.folder("TestKitSample/Tests/CounterTests.swift"))
        #expect(Self.blocks(page).count == 3)
        #expect(Self.missing(in: source, of: page) == [])
    }

    @Test func `a block that differs is found`() {
        let page = "text\n\(Self.reason)    #expect(true)\n```\n\(Self.reason)#expect(false)\n```\n"
        #expect(Self.missing(in: "func f() {\n  #expect(true)\n}\n", of: page) == ["#expect(false)\n"])
    }
}
