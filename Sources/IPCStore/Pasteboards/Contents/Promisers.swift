/// The writers that have promised but not yet supplied representations of a version: the row's column `writer`.
///
/// Items may be added by another writer than the earlier ones. So each call with promises has a line “ordinal count
/// writer”: the ordinal of the call's first representation, and the change count that the call created.
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
