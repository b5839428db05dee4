/// A URL, split at its query and fragment (RFC 3986 §3.4 and §3.5), byte for byte.
struct QueriedURL: Sendable, Equatable {
    let head: String
    /// The text after `?`; `nil` if there is no `?`.
    private(set) var query: String?
    /// The text after `#`; `nil` if there is no `#`.
    let fragment: String?

    init(_ text: String) {
        let (rest, fragment) = text[...].cut(at: UInt8(ascii: "#"))
        let (head, query) = rest.cut(at: UInt8(ascii: "?"))
        (self.head, self.query, self.fragment) = (String(head), query.map(String.init), fragment.map(String.init))
    }

    var text: String { head + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    var parameters: URLParameters { URLParameters(query: query ?? "") }

    /// Returns the URL with parameters added after its own, before the fragment.
    func adding(_ parameters: URLParameters) -> QueriedURL {
        guard !parameters.isEmpty else { return self }
        var url = self
        let before = query ?? ""
        url.query = before + (before.isEmpty || before.utf8.last == UInt8(ascii: "&") ? "" : "&") + parameters.query
        return url
    }
}

extension Substring {
    /// The text before and after the first delimiter; if there is none, the second is `nil`. The search is by bytes,
    /// because Swift merges a delimiter and a combining mark after it into one character.
    func cut(at delimiter: UInt8) -> (Substring, Substring?) {
        guard let place = utf8.firstIndex(of: delimiter) else { return (self, nil) }
        return (Substring(utf8[..<place]), Substring(utf8[utf8.index(after: place)...]))
    }
}
