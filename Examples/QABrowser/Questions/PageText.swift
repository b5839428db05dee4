/// The text of a web page in paragraphs.
///
/// This reads pages that are well-formed XML, such as those of the question server. It supports headings, small print and
/// line breaks, omits scripts, styles and pictures, and shows every other block as a paragraph.
public struct PageText: Sendable, Hashable {
    public struct Paragraph: Sendable, Hashable {
        public enum Kind: Sendable, Hashable { case heading, text, small }

        public var kind: Kind
        public var text: String

        public init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }
    }

    public let paragraphs: [Paragraph]

    /// Reads a page.
    public init(html bytes: [UInt8]) throws(XMLFlaw) {
        let reading = PageReading()
        try reading.read(bytes)
        paragraphs = reading.paragraphs
    }
}

private final class PageReading: XMLReading {
    private static let inline: Set = ["a", "b", "br", "em", "i", "small", "span", "strong"]
    private static let hidden: Set = ["head", "script", "style"]

    private(set) var paragraphs: [PageText.Paragraph] = []
    private var paragraph = PageText.Paragraph(.text, "")

    override func begin(_ element: String, _ attributes: [String: String]) {
        addText()
        if element == "br" { paragraph.text += "\n" }
        if !Self.inline.contains(element) { finish() }
    }

    override func end(_ element: String, line: Int) throws(XMLFlaw) {
        addText()
        if !Self.inline.contains(element) { finish() }
    }

    /// Adds the text before a tag. Several spaces count as one, and spaces at the start of a line are dropped.
    private func addText() {
        guard !text.isEmpty, path.allSatisfy({ !Self.hidden.contains($0) }) else { return }
        for character in text {
            if !character.isWhitespace {
                paragraph.text.append(character)
            } else if paragraph.text.last?.isWhitespace == false {
                paragraph.text += " "
            }
        }
        if path.contains("small") { paragraph.kind = .small }
        if path.contains(where: ["h1", "h2", "h3"].contains) { paragraph.kind = .heading }
    }

    private func finish() {
        while paragraph.text.last?.isWhitespace == true { paragraph.text.removeLast() }
        if !paragraph.text.isEmpty { paragraphs.append(paragraph) }
        paragraph = PageText.Paragraph(.text, "")
    }
}
