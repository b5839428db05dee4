/// Who has promised the representations of a version that are not there yet; the column `writer` of its row.
///
/// Items that were added may be promised by somebody else than those before them, so each writer stands with the
/// ordinal from which on its promises count, and with the change count that its call gave: “ordinal count writer”, one
/// a line.
struct Promisers: Hashable {
    /// The promises of one call.
    struct Part: Hashable {
        /// The ordinal of its first representation.
        let first: Int
        /// The change count that the call gave.
        let changeCount: UInt64
        let writer: String
    }

    private(set) var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    /// What stands in the column.
    var text: String {
        parts.map { "\($0.first) \($0.changeCount) \($0.writer)" }.joined(separator: "\n")
    }

    init() {}

    /// Reads the column; what is not such a line says nothing.
    init(text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let first = Int(fields[0]), let count = UInt64(fields[1]) else { continue }
            parts.append(Part(first: first, changeCount: count, writer: String(fields[2])))
        }
    }

    mutating func append(_ part: Part) { parts.append(part) }

    /// Who promised the representation with an ordinal.
    func part(of ordinal: Int) -> Part? { parts.last { $0.first <= ordinal } }
}
