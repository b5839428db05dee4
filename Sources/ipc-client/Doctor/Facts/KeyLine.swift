/// A line of a key file with its place, of whatever can be read of it: what is to be mended is often broken, and is
/// mended line by line.
struct KeyLine: Sendable, Hashable {
    let group: String
    let key: String
    let value: String
    /// From 1.
    let number: Int
    /// All of it, as it stands there.
    let text: String

    /// The elements of a list that is separated by “;”.
    var list: [String] { value.split(separator: ";").map(\.trimmed).filter { !$0.isEmpty } }

    /// All lines that are key and value, in their order.
    static func all(in text: String) -> [KeyLine] {
        var (lines, group) = ([KeyLine](), "")
        // By bytes, because "\r\n" is one character and no line feed.
        let all = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (place, bytes) in all.enumerated() {
            let line = Substring(bytes).trimmed
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                lines.append(
                    KeyLine(
                        group: group, key: line[..<equals].trimmed, value: line[line.index(after: equals)...].trimmed,
                        number: place + 1, text: String(Substring(bytes))))
            }
        }
        return lines
    }
}

extension [KeyLine] {
    /// The first line of a key.
    func first(_ key: String, in group: String) -> KeyLine? { first { $0.key == key && $0.group == group } }
}
