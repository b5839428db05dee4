internal import IPCModel

/// The parameters of a URL, `?name=value&name=value`, in their order, as text and not as encoding.
///
/// A parameter without `=` has an empty value. A plus sign is a plus sign, for only HTML forms take it for a space. A
/// parameter with a broken escape (a percent sign without two hexadecimal digits, or bytes that are no UTF-8) is passed over,
/// and so is an empty one. Names are compared byte by byte, with their case.
///
/// ```swift
/// let asked: URLParameters = ["city": "東京 🗼", "days": "3"]
/// let reply = try await app.call(asked.added(to: "com.example.weather:forecast"))
/// ```
public struct URLParameters: Sendable, Hashable {
    /// A name and its value.
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String

        /// Makes a parameter of any two texts.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }

        public static func == (left: Parameter, right: Parameter) -> Bool {
            left.name.isIdentical(to: right.name) && left.value.isIdentical(to: right.value)
        }

        public func hash(into hasher: inout Hasher) {
            name.hashBytes(into: &hasher)
            value.hashBytes(into: &hasher)
        }
    }

    private var all: [Parameter]

    /// Takes parameters in their order; a name may be there more than once.
    public init(_ parameters: [Parameter] = []) { all = parameters }

    /// Reads those of a URL: what stands behind its first `?` and before its first `#`, RFC 3986 §3.4.
    public init(of url: String) { self.init(query: QueriedURL(url).query ?? "") }

    /// Reads a query, without its `?`.
    public init(query: String) {
        all = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let (name, value) = Substring(pair).cut(at: UInt8(ascii: "="))
            guard let name = PercentEncoding.decode(name), let value = PercentEncoding.decode(value ?? "") else {
                return nil
            }
            return Parameter(name: name, value: value)
        }
    }

    /// The value of a parameter; of several with one name, the first. A new value takes the place of the first one, or the
    /// last place of all, and the others with that name go; `nil` takes all of them away.
    public subscript(_ name: String) -> String? {
        get { all.first { $0.name.isIdentical(to: name) }?.value }
        set {
            let place = all.firstIndex { $0.name.isIdentical(to: name) } ?? all.endIndex
            all.removeAll { $0.name.isIdentical(to: name) }
            if let newValue { all.insert(Parameter(name: name, value: newValue), at: place) }
        }
    }

    /// The values of all parameters with one name, in their order.
    public func all(named name: String) -> [String] { all.filter { $0.name.isIdentical(to: name) }.map(\.value) }

    /// A name that is there more than once, for who takes no such URL; `nil` where there is none.
    public var repeatedName: String? { all.map(\.name).first { all(named: $0).count > 1 } }

    /// The query, without its `?`: every byte encoded but those that are unreserved (RFC 3986 §2.3), which makes it the text
    /// of an HTML form as well.
    public var query: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// A URL with these parameters behind those that it has, before its fragment; all else of it stays byte for byte.
    public func added(to url: String) -> String { QueriedURL(url).adding(self).text }
}

extension URLParameters: RandomAccessCollection {
    public var startIndex: Int { all.startIndex }
    public var endIndex: Int { all.endIndex }
    public subscript(position: Int) -> Parameter { all[position] }
}

extension URLParameters: ExpressibleByDictionaryLiteral {
    /// In the order of the literal; a name may be there more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Parameter(name: $0.0, value: $0.1) })
    }
}

extension OpenURLRequest {
    /// The parameters of ``url``.
    public nonisolated var parameters: URLParameters { URLParameters(of: url) }
}
