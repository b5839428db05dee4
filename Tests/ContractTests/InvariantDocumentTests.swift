import IPCTesting
import Testing

/// `docs/invariants.md` and the tests agree.
struct InvariantDocumentTests {
    private func text() throws -> String {
        try FileContents.text("\(ProjectFiles.root)/docs/invariants.md")
    }

    @Test func `each invariant has exactly one section, which names a test`() throws {
        let document = InvariantDocument(try text())
        #expect(document.misnumbered == [])
        #expect(document.withoutTests == [])
    }

    @Test(arguments: ["docs/invariants.md", "Tests/Campaign/FINDINGS.md"])
    func `each test that a document names exists`(path: String) throws {
        let declared = Set(DeclaredTest.ofAllModules.map(\.name))
        #expect(declared.count > 1_000)
        let named = NamedTests(try FileContents.text("\(ProjectFiles.root)/\(path)"))
        #expect(named.tests.count > 20 && named.files.count > 3)
        #expect(named.missing(declared: declared) == [])
    }

    @Test func `each number that a test name cites belongs to an invariant`() throws {
        let citing = DeclaredTest.ofAllModules.filter { !$0.invariants.isEmpty }
        #expect(citing.count > 200)
        #expect(citing.filter { !$0.unknownInvariants.isEmpty }.map(\.name) == [])
        // Every invariant is cited, so a reader can find its tests by number.
        #expect(Set(citing.flatMap(\.invariants)) == Set(InvariantDocument.numbers))
    }

    @Test func `a test that does not exist is found`() throws {
        let names = ["DeliveryRunTests/a broker that is right is found", "Tests/Hostile/attacks/none.py"]
        let declared = Set(DeclaredTest.ofAllModules.map(\.name))
        let text = try text()
        #expect(
            NamedTests(text + names.map { "- `\($0)`.\n" }.joined()).missing(declared: declared) == names)
        // Negative control: if no test is declared, every test that the document names is unknown.
        #expect(NamedTests(text).missing(declared: []).count > 150)
    }

    @Test func `a missing, repeated or misnumbered section is found`() throws {
        let text = try text()
        #expect(InvariantDocument(text.replacing("\n## I9: ", with: "\n## ")).misnumbered == [9])
        #expect(InvariantDocument(text.replacing("\n## I9: ", with: "\n## I8: ")).misnumbered == [8, 9])
        #expect(InvariantDocument(text.replacing("\n## I9: ", with: "\n## I26: ")).misnumbered == [9, 26])
        #expect(InvariantDocument(text + "\n## I26: Nothing\n").withoutTests == [26])
    }

    @Test func `each form of a test name is parsed`() {
        // `%` stands for the attribute of a test, so that these samples are not counted as tests of this file.
        let source = """
            /// A struct of values.
            private struct Row { let name = 1 }
            @Suite(.serialized) struct FirstTests {
                % func broken_I27() {}
                %(arguments: [1, 2])
                func `I6, I18: a raw name, of I9`(_ number: Int) {}
                %(
                    "I15: a display name", arguments: [1])
                func short(_ number: Int) {}
            }
            @Suite struct SecondTests {
                % func i24GoesOn() {}
                % func iteratesI16Times() {}
            }
            """.replacing("%", with: "@Test")
        let tests = DeclaredTest.all(in: source)
        #expect(
            tests.map(\.name) == [
                "FirstTests/broken_I27", "FirstTests/I6, I18: a raw name, of I9", "FirstTests/I15: a display name",
                "SecondTests/i24GoesOn", "SecondTests/iteratesI16Times",
            ])
        #expect(tests.map(\.invariants) == [[27], [6, 18], [15], [24], []])
        #expect(tests.map(\.unknownInvariants) == [[27], [], [], [], []])
    }
}
