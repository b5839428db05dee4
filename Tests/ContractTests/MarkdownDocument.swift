/// The headings and the links of a Markdown document: the anchors by which the headings can be linked, and the link
/// targets.
struct MarkdownDocument {
    /// The anchors of the headings, as GitHub makes them.
    let anchors: Set<String>
    /// The targets of the links that stay within the project, in order.
    let relativeLinks: [String]

    init(_ text: String) {
        let lines = Self.linesOutsideBlocks(text)
        anchors = Self.anchors(of: lines.filter { $0.contains(/^#+\s/) })
        relativeLinks = lines.flatMap { line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) }
        }.filter { !$0.contains(/^[a-z]+:/) }
    }

    /// The lines that are not in a code block.
    private static func linesOutsideBlocks(_ text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n").filter { line in
            let isFence = line.contains(/^ *```/)
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }
    }

    /// Makes anchors like GitHub: letters (in lower case), digits, hyphens and underscores are kept, and a space
    /// becomes a hyphen. If an earlier heading has the same anchor, a number is added.
    private static func anchors(of headings: [Substring]) -> Set<String> {
        var counts: [String: Int] = [:]
        return Set(
            headings.map { heading in
                let title = heading.drop { $0 == "#" }.dropFirst().replacing(/\]\([^)]*\)/, with: "")
                let kept = title.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                let anchor = kept.replacing(" ", with: "-")
                let count = counts[anchor, default: 0]
                counts[anchor] = count + 1
                return count == 0 ? anchor : "\(anchor)-\(count)"
            })
    }
}
