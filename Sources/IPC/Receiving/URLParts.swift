internal import IPCModel

extension OpenURLRequest {
    /// The decoded host of ``url`` (RFC 3986 §3.2.2), without user, port, and the brackets of an IP address; `nil` if
    /// no `//` follows the scheme, empty in `notes:///add`. A host that cannot be decoded is returned as written.
    public nonisolated var host: String? { URLParts(url, scheme).host }

    /// The decoded path of ``url`` (RFC 3986 §3.3): `/add` in `notes://host/add`, and `add` in `notes:add`. A path that
    /// cannot be decoded is returned as written. In a decoded path, `%2F` and `/` look the same; use ``url`` to
    /// distinguish them.
    public nonisolated var path: String { URLParts(url, scheme).path }

    /// The parameters of ``url``.
    public nonisolated var parameters: URLParameters { URLParameters(of: url) }
}

/// A URL, taken apart (RFC 3986 §3): the same members as those of an ``OpenURLRequest``, for a URL string.
public struct URLParts: Sendable, Hashable {
    public let scheme: URLScheme
    /// The decoded host, without user, port, and the brackets of an IP address; see ``OpenURLRequest/host``.
    public let host: String?
    /// The decoded path; see ``OpenURLRequest/path``.
    public let path: String
    public let parameters: URLParameters

    /// Takes a URL apart. Every URL that can be opened is accepted.
    /// - Throws: `invalidURL`.
    public init(of url: String) throws(IPCError) { self.init(url, try URLText(url).scheme) }

    init(_ url: String, _ scheme: URLScheme) {
        let queried = QueriedURL(url)
        (self.scheme, parameters) = (scheme, queried.parameters)
        let (_, afterScheme) = queried.head[...].cut(at: UInt8(ascii: ":"))
        let rest = (afterScheme ?? "").utf8
        guard rest.starts(with: "//".utf8) else {
            (host, path) = (nil, Self.decoded(Substring(rest)))
            return
        }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        host = Self.decoded(Self.host(in: authority))
        path = Self.decoded(Substring(rest[authority.endIndex...]))
    }

    /// `authority = [ userinfo "@" ] host [ ":" port ]`; a host in brackets may contain colons.
    private static func host(in authority: Substring.UTF8View) -> Substring {
        let afterUser = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        if afterUser.first == UInt8(ascii: "["), let end = afterUser.firstIndex(of: UInt8(ascii: "]")) {
            return Substring(afterUser[..<end].dropFirst())
        }
        return Substring(afterUser.prefix { $0 != UInt8(ascii: ":") })
    }

    private static func decoded(_ text: Substring) -> String { PercentEncoding.decode(text) ?? String(text) }
}
