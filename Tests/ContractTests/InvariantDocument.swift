/// `docs/invariants.md`: a section for each invariant, with the tests that check it.
struct InvariantDocument {
    /// The numbers of all invariants.
    static let numbers = 1...25

    /// One section: the number in its heading, and its text.
    let sections: [(number: Int, text: Substring)]

    init(_ text: String) {
        sections = text.split(separator: "\n## ").compactMap { section in
            section.prefixMatch(of: /I([0-9]+):/).flatMap { Int($0.1) }.map { ($0, section) }
        }
    }

    /// The invariants with no section or several, and the sections with other numbers.
    var misnumbered: [Int] {
        let found = sections.map(\.number)
        return Self.numbers.filter { number in found.count { $0 == number } != 1 }
            + found.filter { !Self.numbers.contains($0) }
    }

    /// The sections that name no test.
    var withoutTests: [Int] {
        sections.filter { NamedTests($0.text).tests.isEmpty }.map(\.number)
    }
}
