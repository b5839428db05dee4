/// A URL taken apart at its query and fragment, RFC 3986 §3.4 and §3.5, with every byte kept as it was written.
struct QueriedURL: Sendable, Equatable {
    /// A name and its value, text rather than encoding.
    typealias Parameter = (name: String, value: String)

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

    /// The parameters that can be read, in their order: a name without `=` has an empty value, and one with an escape
    /// that is none, or that is no UTF-8, is passed over.
    var parameters: [Parameter] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let (name, value) = Substring(pair).cut(at: UInt8(ascii: "="))
            guard let name = PercentEncoding.decode(name), let value = PercentEncoding.decode(value ?? "") else {
                return nil
            }
            return (name, value)
        }
    }

    /// The value of a parameter; of several with one name, the first.
    func value(of name: String) -> String? {
        parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The URL with parameters behind those that are there, before the fragment.
    func adding(_ parameters: [Parameter]) -> QueriedURL {
        guard !parameters.isEmpty else { return self }
        let added = parameters.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
            .joined(separator: "&")
        var url = self
        let before = query ?? ""
        url.query = before + (before.isEmpty || before.utf8.last == UInt8(ascii: "&") ? "" : "&") + added
        return url
    }
}

extension Substring {
    /// What stands before the first such byte, and what stands behind it. By bytes: a letter with a mark on it is one
    /// character, and a delimiter with one is a delimiter still.
    fileprivate func cut(at delimiter: UInt8) -> (Substring, Substring?) {
        guard let place = utf8.firstIndex(of: delimiter) else { return (self, nil) }
        return (Substring(utf8[..<place]), Substring(utf8[utf8.index(after: place)...]))
    }
}
