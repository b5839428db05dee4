internal import IPCModel

/// The decoded parameters of a URL, `?name=value&name=value`, in order of appearance.
///
/// A parameter without `=` has an empty value. Unlike in HTML forms, a plus sign does not stand for a space. Empty
/// parameters and parameters with broken escapes are ignored. Names are case-sensitive, and compared byte by byte.
public struct URLParameters: Sendable, Hashable {
    /// A name and its value.
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String

        /// Creates a parameter from any two strings.
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

    /// Creates a list of parameters. A name may occur more than once.
    public init(_ parameters: [Parameter] = []) { all = parameters }

    /// Parses the parameters of a URL: the text between its first `?` and its first `#` (RFC 3986 §3.4).
    public init(of url: String) { self.init(query: QueriedURL(url).query ?? "") }

    /// Parses a query, given without its `?`.
    public init(query: String) {
        all = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let (name, value) = Substring(pair).cut(at: UInt8(ascii: "="))
            guard let name = PercentEncoding.decode(name), let value = PercentEncoding.decode(value ?? "") else {
                return nil
            }
            return Parameter(name: name, value: value)
        }
    }

    /// The value of the first parameter with the given name. Setting a value replaces the first such parameter and
    /// removes the others, or appends one if there is none. Setting `nil` removes all of them.
    public subscript(_ name: String) -> String? {
        get { all.first { $0.name.isIdentical(to: name) }?.value }
        set {
            let place = all.firstIndex { $0.name.isIdentical(to: name) } ?? all.endIndex
            all.removeAll { $0.name.isIdentical(to: name) }
            if let newValue { all.insert(Parameter(name: name, value: newValue), at: place) }
        }
    }

    /// The values of all parameters with the given name, in order of appearance.
    public func all(named name: String) -> [String] { all.filter { $0.name.isIdentical(to: name) }.map(\.value) }

    /// The first name that occurs more than once, for programs that reject such URLs; `nil` if there is none.
    public var repeatedName: String? { all.map(\.name).first { all(named: $0).count > 1 } }

    /// The query, without its `?`. All bytes except unreserved ones (RFC 3986 §2.3) are encoded, so it is also valid as
    /// the data of an HTML form.
    public var query: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// Returns a URL with these parameters added after its own, before its fragment. No other byte is changed.
    public func added(to url: String) -> String { QueriedURL(url).adding(self).text }
}

extension URLParameters: RandomAccessCollection {
    public var startIndex: Int { all.startIndex }
    public var endIndex: Int { all.endIndex }
    public subscript(position: Int) -> Parameter { all[position] }
}

extension URLParameters: ExpressibleByDictionaryLiteral {
    /// Creates a list of parameters in the order of the literal. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Parameter(name: $0.0, value: $0.1) })
    }
}
