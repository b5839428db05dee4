/// A URL taken apart at its query and fragment, RFC 3986 §3.4 and §3.5, with every byte kept as it was written.
struct QueriedURL: Sendable, Equatable {
    /// What stands before the query.
    let head: String
    /// What stands behind the first `?`; `nil` without one.
    private(set) var query: String?
    /// What stands behind the first `#`; `nil` without one.
    let fragment: String?

    init(_ text: String) {
        let (rest, fragment) = text[...].cut(at: UInt8(ascii: "#"))
        let (head, query) = rest.cut(at: UInt8(ascii: "?"))
        (self.head, self.query, self.fragment) = (String(head), query.map(String.init), fragment.map(String.init))
    }

    /// The URL; that of an unchanged one is byte for byte what it was made of.
    var text: String { head + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    var parameters: URLParameters { URLParameters(query: query ?? "") }

    /// The URL with parameters behind those that are there, before the fragment.
    func adding(_ parameters: URLParameters) -> QueriedURL {
        guard !parameters.isEmpty else { return self }
        var url = self
        let before = query ?? ""
        url.query = before + (before.isEmpty || before.utf8.last == UInt8(ascii: "&") ? "" : "&") + parameters.query
        return url
    }
}

extension Substring {
    /// What stands before the first such byte, and what stands behind it. By bytes: a letter with a mark on it is one
    /// character, and a delimiter with one is a delimiter still.
    func cut(at delimiter: UInt8) -> (Substring, Substring?) {
        guard let place = utf8.firstIndex(of: delimiter) else { return (self, nil) }
        return (Substring(utf8[..<place]), Substring(utf8[utf8.index(after: place)...]))
    }
}
