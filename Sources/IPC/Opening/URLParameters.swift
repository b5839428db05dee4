internal import IPCModel

/// The decoded parameters of a URL, `?name=value&name=value`, in their order.
///
/// A parameter without `=` has an empty value. A plus sign is not a space, as it is in HTML forms. An empty parameter
/// is ignored, and so is one with a broken escape. Names are compared byte by byte, with
/// case.
public struct URLParameters: Sendable, Hashable {
    /// A name and its value.
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String

        /// Makes a parameter from any two texts.
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

    /// Makes a list of parameters. A name may occur more than once.
    public init(_ parameters: [Parameter] = []) { all = parameters }

    /// Reads the parameters of a URL: the text between its first `?` and its first `#` (RFC 3986 §3.4).
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

    /// The value of the first parameter with a name. A new value replaces the first one and removes the others with
    /// that name, or is appended; `nil` removes all of them.
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

    /// A name that occurs more than once, for a program that rejects such a URL; `nil` if there is none.
    public var repeatedName: String? { all.map(\.name).first { all(named: $0).count > 1 } }

    /// The query, without its `?`. All bytes except unreserved ones (RFC 3986 §2.3) are encoded, so it is also the text
    /// of an HTML form.
    public var query: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// A URL with these parameters after its own, before its fragment. The rest of it stays byte for byte.
    public func added(to url: String) -> String { QueriedURL(url).adding(self).text }
}

extension URLParameters: RandomAccessCollection {
    public var startIndex: Int { all.startIndex }
    public var endIndex: Int { all.endIndex }
    public subscript(position: Int) -> Parameter { all[position] }
}

extension URLParameters: ExpressibleByDictionaryLiteral {
    /// Makes a list of parameters in the order of the literal. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Parameter(name: $0.0, value: $0.1) })
    }
}
