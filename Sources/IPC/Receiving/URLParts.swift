extension OpenURLRequest {
    /// The decoded host of ``url`` (RFC 3986 §3.2.2), without user, port, and the brackets of an IP address; `nil` if
    /// no `//` follows the scheme, empty in `notes:///add`. A host that cannot be decoded is returned as written.
    public nonisolated var host: String? { URLParts(url).host }

    /// The decoded path of ``url`` (RFC 3986 §3.3): `/add` in `notes://host/add`, and `add` in `notes:add`. A path that
    /// cannot be decoded is returned as written. In a decoded path, `%2F` and `/` look the same; use ``url`` to
    /// distinguish them.
    public nonisolated var path: String { URLParts(url).path }

    /// The parameters of ``url``.
    public nonisolated var parameters: URLParameters { URLParameters(of: url) }
}

/// The decoded host and path of a URL.
struct URLParts: Sendable {
    let host: String?
    let path: String

    init(_ url: String) {
        let (_, afterScheme) = QueriedURL(url).head[...].cut(at: UInt8(ascii: ":"))
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
