import IPCTesting
import Testing

/// `docs/invariants.md` and the rows of the campaign agree on which row tests which invariant.
struct CampaignDocumentTests {
    /// The invariants of each row, by the row's name, as its file says.
    private static func rows() throws -> [String: Set<Int>] {
        let folder = "\(ProjectFiles.root)/Tests/Campaign/rows"
        let files = (FileContents.names(in: folder) ?? []).filter { $0.hasSuffix(".py") }
        return Dictionary(
            uniqueKeysWithValues: try files.map { file in
                let text = try FileContents.text("\(folder)/\(file)")
                let line = try #require(text.firstMatch(of: /(?m)^INVARIANTS = \(([0-9, ]+)\)$/), "\(file)")
                let numbers = line.1.split { $0 == "," || $0 == " " }.compactMap { Int($0) }
                return (file.dropLast(3).uppercased(), Set(numbers))
            })
    }

    /// The rows that each section of the document names.
    private static func named(in text: String) -> [Int: Set<String>] {
        let sections = InvariantDocument(text).sections.map { number, text in
            let lines = text.matches(of: /(?m)^- Campaign: (.+)\.$/)
            return (number, Set(lines.flatMap { $0.1.split(separator: ", ").map(String.init) }))
        }
        return Dictionary(sections, uniquingKeysWith: { $0.union($1) })
    }

    private func document() throws -> String { try FileContents.text("\(ProjectFiles.root)/docs/invariants.md") }

    @Test func `each invariant names its rows of the campaign`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 20)
        let named = Self.named(in: try document())
        for number in InvariantDocument.numbers {
            #expect(named[number] == Set(rows.filter { $0.value.contains(number) }.keys), "I\(number)")
            #expect(named[number]?.isEmpty == false, "I\(number)")
        }
    }

    @Test func `a missing row is found`() throws {
        let named = Self.named(in: "\n## I1: x\n\n- Campaign: D1, D2.\n\n## I2: y\n\n- Control: none.\n")
        #expect(named == [1: ["D1", "D2"], 2: []])
    }

    @Test func `the page of the campaign describes each row`() throws {
        let text = try FileContents.text("\(ProjectFiles.root)/Tests/Campaign/README.md")
        let described = text.matches(of: #/(?m)^#{3} ([A-Z][0-9]):/#).map { String($0.1) }
        #expect(described.sorted() == described)
        #expect(Set(described) == Set(try Self.rows().keys))
    }
}
