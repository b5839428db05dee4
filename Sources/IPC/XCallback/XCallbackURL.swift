/// A URL of x-callback-url 1.0: `scheme://x-callback-url/action?parameters`. Its parameters name callback URLs. The
/// host is compared without regard to case (RFC 3986 §3.2.2); parameter names are case-sensitive.
struct XCallbackURL: Sendable, Equatable {
    private(set) var parts: QueriedURL
    /// The text between the host and the query, without the first slash.
    let action: String

    private static let host = "://x-callback-url"

    /// - Returns: `nil` if the URL has a different form.
    init?(_ text: String) {
        parts = QueriedURL(text)
        let rest = parts.head.utf8.drop { $0 != UInt8(ascii: ":") }
        let host = rest.prefix(Self.host.utf8.count)
        let path = rest[host.endIndex...]
        let isCallback = host.elementsEqual(Self.host.utf8) {
            $0 == $1 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) && $0 | 0x20 == $1
        }
        guard isCallback, path.isEmpty || path.first == UInt8(ascii: "/") else { return nil }
        action = String(decoding: path.dropFirst(), as: UTF8.self)
    }

    /// - Parameter action: a path that needs no encoding.
    init(scheme: String, action: String) {
        parts = QueriedURL("\(scheme)\(Self.host)/\(action)")
        self.action = action
    }

    var text: String { parts.text }

    /// The kinds of callbacks. The raw value is the parameter that contains the URL to open with the result.
    enum Callback: String, CaseIterable {
        case success = "x-success"
        case error = "x-error"
        case cancel = "x-cancel"
    }

    static let source = "x-source"

    /// The URL of a callback; `nil` if there is none, or if it cannot be opened.
    func url(of callback: Callback) -> String? {
        parts.parameters[callback.rawValue].flatMap { (try? URLText($0)) == nil ? nil : $0 }
    }

    /// Whether the URL names callbacks, even ones that cannot be opened.
    var namesCallbacks: Bool {
        parts.parameters.contains { parameter in Callback.allCases.contains { $0.rawValue == parameter.name } }
    }

    func adding(_ parameters: URLParameters) -> XCallbackURL {
        var url = self
        url.parts = parts.adding(parameters)
        return url
    }
}
