/// The column `writer` of a version: the writers that have promised but not yet supplied representations. Each call
/// with promises adds a line “ordinal count writer”: the ordinal of its first representation, the change count that it
/// created, and its writer, which may differ from the writer of earlier items.
struct Promisers: Hashable {
    struct Part: Hashable {
        let first: Int
        let changeCount: UInt64
        let writer: String
    }

    var parts: [Part] = []

    var text: String {
        parts.map { "\($0.first) \($0.changeCount) \($0.writer)" }.joined(separator: "\n")
    }

    init() {}

    /// Reads the column, and ignores malformed lines.
    init(text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let first = Int(fields[0]), let count = UInt64(fields[1]) else { continue }
            parts.append(Part(first: first, changeCount: count, writer: String(fields[2])))
        }
    }

    /// The call that promised the representation with the given ordinal.
    func part(of ordinal: Int) -> Part? { parts.last { $0.first <= ordinal } }
}
