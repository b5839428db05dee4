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
    /// The URL to fetch.
    public let url: URL
    /// How long the server may take to accept the connection.
    public private(set) var connectTimeout = RequestParameters.usualTimeout
    /// How long the server may send nothing once it is connected.
    public private(set) var readTimeout = RequestParameters.usualTimeout
    /// The body of a POST.
    public private(set) var body: Representation?

    /// The scheme of the relay.
    public static let scheme = "relay"

    private enum Name {
        static let (url, connectTimeout, readTimeout) = ("url", "connect-timeout", "read-timeout")
        static let all = [url, connectTimeout, readTimeout]
    }

    /// Converts a request of any kind.
    /// - Throws: ``Flaw/noURL(_:)`` if the server URL is not an `http` or `https` URL.
    public init<Request: ServerRequest>(_ request: Request) throws(Flaw) {
        let (parameters, form) = (request.parameters, FormText.encode(request.form))
        method = Request.method
        switch method {
        case .get: url = try Self.url(parameters.serverURL + (parameters.serverURL.contains("?") ? "&" : "?") + form)
        case .post:
            url = try Self.url(parameters.serverURL)
            body = Representation(type: Self.formType, value: .text(form))
        }
        (connectTimeout, readTimeout) = (parameters.connectTimeout, parameters.readTimeout)
    }

    /// Reads the request from the URL and the payload that a sender opened.
    public init(_ request: OpenURLRequest) throws(Flaw) {
        try self.init(request.url, body: request.payload.items.first?.representations.first)
    }

    init(_ text: String, body: Representation?) throws(Flaw) {
        guard let parts = URLComponents(string: text) else { throw .notReadable }
        guard let method = RequestMethod(rawValue: parts.path) else { throw .noMethod(parts.path) }
        guard method == .post || body == nil else { throw .bodyOfGet }
        let parameters = URLParameters(of: text)
        if let name = parameters.repeatedName { throw .twice(name) }
        url = try Self.url(parameters[Name.url] ?? "")
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

    private static let formType = try! ContentType(FormText.contentType)

    private static func url(_ text: String) throws(Flaw) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else { throw .noURL(text) }
        return url
    }

    private static func seconds(_ text: String) throws(Flaw) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= 3_600 else { throw .noTime(text) }
        return .seconds(seconds)
    }
}

extension RelayedRequest {
    /// The reason why a `relay:` URL is rejected.
    public enum Flaw: HandlerError, Sendable, Hashable, CustomStringConvertible {
        case notReadable
        case noMethod(String)
        case bodyOfGet
        case noURL(String)
        case noTime(String)
        case twice(String)
        case unknown(String)

        public var code: String { "bad-request" }

        public var description: String {
            switch self {
            case .notReadable: "this is not a URL; use a URL such as relay:get?url=http://127.0.0.1:8080/"
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
