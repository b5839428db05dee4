public import Foundation
public import IPC

/// The HTTP method of a request; the relay supports these two (RFC 9110 §9.3).
public enum RequestMethod: String, Sendable, Hashable {
    /// The parameters are sent as a form in the URL.
    case get
    /// The parameters are sent as a form in the body.
    case post
}

/// A request to the relay, as a URL that a person can also type:
/// `relay:get?url=http://127.0.0.1:8080/status&read-timeout=5`. The body of a POST is the payload of the URL.
public struct RelayedRequest: Sendable, Hashable {
    public let method: RequestMethod
    /// The URL to fetch, and its decoded host in lower case, because case makes no difference (RFC 3986 §3.2.2).
    public let (url, host): (URL, String)
    /// How long the server may take to accept the connection.
    public private(set) var connectTimeout = RequestParameters.usualTimeout
    /// How long the server may send nothing once it is connected.
    public private(set) var readTimeout = RequestParameters.usualTimeout
    /// The body of a POST.
    public private(set) var body: Representation?

    /// The scheme of the relay.
    public static let scheme = "relay"

    private static let formType = try! ContentType("application/x-www-form-urlencoded")

    private enum Name {
        static let (url, connectTimeout, readTimeout) = ("url", "connect-timeout", "read-timeout")
        static let all = [url, connectTimeout, readTimeout]
    }

    /// Converts a request of any kind.
    /// - Throws: ``Flaw/noURL(_:)`` if the server URL is not an `http` or `https` URL.
    public init(_ request: some ServerRequest) throws(Flaw) {
        let (parameters, form) = (request.parameters, URLParameters(request.form))
        method = request.method
        switch method {
        case .get: (url, host) = try Self.target(form.added(to: parameters.serverURL))
        case .post:
            (url, host) = try Self.target(parameters.serverURL)
            body = Representation(type: Self.formType, value: .text(form.query))
        }
        (connectTimeout, readTimeout) = (parameters.connectTimeout, parameters.readTimeout)
    }

    /// Reads the request from the URL and the payload of a request to open it.
    public init(_ request: OpenURLRequest) throws(Flaw) {
        try self.init(request.path, request.parameters, body: request.payload.items.first?.representations.first)
    }

    /// Reads the request from the path and the parameters of a URL.
    init(_ path: String, _ parameters: URLParameters, body: Representation?) throws(Flaw) {
        guard let method = RequestMethod(rawValue: path) else { throw .noMethod(path) }
        guard method == .post || body == nil else { throw .bodyOfGet }
        if let name = parameters.repeatedName { throw .twice(name) }
        (url, host) = try Self.target(parameters[Name.url] ?? "")
        if let text = parameters[Name.connectTimeout] { connectTimeout = try Self.seconds(text) }
        if let text = parameters[Name.readTimeout] { readTimeout = try Self.seconds(text) }
        if let unknown = parameters.map(\.name).first(where: { !Name.all.contains($0) }) { throw .unknown(unknown) }
        (self.method, self.body) = (method, body)
    }

    /// The `relay:` URL of this request.
    public var text: String {
        let parameters: URLParameters = [
            Name.url: url.absoluteString, Name.connectTimeout: "\(connectTimeout / .seconds(1))",
            Name.readTimeout: "\(readTimeout / .seconds(1))",
        ]
        return parameters.added(to: "\(Self.scheme):\(method.rawValue)")
    }

    /// The payload to send with the URL; `nil` if there is none.
    public var items: [PasteboardItem]? {
        get throws { try body.map { [try PasteboardItem([$0])] } }
    }

    private static func target(_ text: String) throws(Flaw) -> (URL, String) {
        // `URL` escapes characters where necessary, so the parts are read from the escaped text, which is the one fetched.
        guard let url = URL(string: text), let parts = try? URLParts(of: url.absoluteString),
            ["http", "https"].contains(parts.scheme), let host = parts.host, !host.isEmpty
        else { throw .noURL(text) }
        return (url, host.lowercased())
    }

    private static func seconds(_ text: String) throws(Flaw) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= 3_600 else { throw .noTime(text) }
        return .seconds(seconds)
    }
}

extension RelayedRequest {
    /// The reason why a `relay:` URL is rejected.
    public enum Flaw: HandlerError, Sendable, Hashable, CustomStringConvertible {
        case noMethod(String)
        case bodyOfGet
        case noURL(String)
        case noTime(String)
        case twice(String)
        case unknown(String)

        public var code: String { "bad-request" }

        public var description: String {
            switch self {
            case .noMethod(let word): "“\(word)” is not a method; use relay:get?url=… or relay:post?url=…"
            case .bodyOfGet: "a GET has no body; send the content with relay:post?url=…"
            case .noURL(let text): "“\(text)” is not an http or https URL with a host"
            case .noTime(let text): "“\(text)” is not a time-out; give seconds, more than 0 and at most 3600"
            case .twice(let name): "the parameter “\(name)” occurs twice"
            case .unknown(let name): "unknown parameter “\(name)”; use url, connect-timeout or read-timeout"
            }
        }
    }
}
