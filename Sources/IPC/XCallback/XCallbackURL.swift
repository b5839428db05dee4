/// A URL of x-callback-url 1.0: `scheme://x-callback-url/action?parameters`, which says where its results go.
///
/// Parameters that the specification does not name belong to sender and handler. The host is compared without case
/// (RFC 3986 §3.2.2), parameters with it.
struct XCallbackURL: Sendable, Equatable {
    /// The URL in its parts.
    private(set) var parts: QueriedURL
    /// What stands between the host and the query, without the first slash, as it was written.
    let action: String

    private static let host = "x-callback-url"

    /// - Returns: `nil` for a URL of any other form.
    init?(_ text: String) {
        parts = QueriedURL(text)
        guard let scheme = parts.head.utf8.firstIndex(of: UInt8(ascii: ":")),
            let rest = parts.head[parts.head.utf8.index(after: scheme)...].removing(prefix: "//")?
                .removing(prefix: Self.host), rest.isEmpty || rest.utf8.first == UInt8(ascii: "/")
        else { return nil }
        action = String(decoding: rest.utf8.dropFirst(), as: UTF8.self)
    }

    /// Makes a URL without parameters.
    /// - Parameters:
    ///   - scheme: a scheme, without the colon.
    ///   - action: a path that needs no encoding.
    init(scheme: String, action: String) {
        parts = QueriedURL("\(scheme)://\(Self.host)/\(action)")
        self.action = action
    }

    var text: String { parts.text }

    /// Where a result goes; the names of the specification.
    enum Callback: String, CaseIterable {
        case success = "x-success"
        case error = "x-error"
        case cancel = "x-cancel"
    }

    /// The friendly name of who asks; `x-source`.
    static let source = "x-source"

    /// The URL of a callback; `nil` where there is none, or none that can be opened.
    func url(of callback: Callback) -> String? {
        parts.parameters[callback.rawValue].flatMap { (try? URLText($0)) == nil ? nil : $0 }
    }

    /// Whether the URL names any callback, one that can be opened or not.
    var namesCallbacks: Bool {
        parts.parameters.contains { parameter in Callback.allCases.contains { $0.rawValue == parameter.name } }
    }

    /// The URL with more parameters.
    func adding(_ parameters: URLParameters) -> XCallbackURL {
        var url = self
        url.parts = parts.adding(parameters)
        return url
    }
}

extension Substring {
    /// What stands behind a prefix of ASCII, which is compared without case.
    fileprivate func removing(prefix: String) -> Substring? {
        let length = prefix.utf8.count
        guard utf8.count >= length, utf8.prefix(length).elementsEqual(prefix.utf8, by: { $0.lowercased == $1 }) else {
            return nil
        }
        return Substring(utf8.dropFirst(length))
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
