/// The doc comment of a D-Bus member, in the form of the GTK documentation: the member's name, one line per argument,
/// then the text.
struct MemberComment {
    /// The member's name, from the first line.
    let name: String
    /// The description of each argument, keyed by name.
    let arguments: [String: String]
    /// The text after the arguments, with each run of white space replaced by one blank.
    let text: String

    /// - Returns: `nil` if the comment does not have this form.
    init?(_ comment: String) {
        let lines = comment.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.drop { $0 == " " }
        }.drop(while: \.isEmpty)
        guard let first = lines.first, first.hasSuffix(":") else { return nil }
        name = String(first.dropLast())
        var arguments: [String: String] = [:]
        var rest = lines.dropFirst()
        while let line = rest.first, line.hasPrefix("@"), let colon = line.firstIndex(of: ":") {
            let text = line[line.index(after: colon)...].drop { $0 == " " }
            arguments[String(line[line.index(after: line.startIndex)..<colon])] = String(text)
            rest = rest.dropFirst()
        }
        self.arguments = arguments
        text = rest.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    /// The keys in the description of an argument, `persistent (b), window (u)`, with their types.
    func keys(ofArgument argument: String) -> [String: String] {
        Self.pairs((arguments[argument] ?? "").matches(of: #/([a-z][a-z-]*) \(([a-z(){}]+)\)/#).map { ($0.1, $0.2) })
    }

    /// The keys in the text, written as ``` ``window`` (``u``, requests) ```, with their types.
    var keysInText: [String: String] {
        Self.pairs(text.matches(of: #/``([a-z][a-z-]*)`` \(``([a-z(){}]+)``/#).map { ($0.1, $0.2) })
    }

    private static func pairs(_ found: [(Substring, Substring)]) -> [String: String] {
        Dictionary(found.map { (String($0), String($1)) }) { $0 == $1 ? $0 : "\($0) and \($1)" }
    }
}
