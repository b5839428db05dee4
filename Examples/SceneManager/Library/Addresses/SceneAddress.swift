public import IPC

/// The kind of a scene and what it shows: `counter?n=5`, or `question/7?view=narrow`.
///
/// It is the part of a URL after `scheme://`. Nothing else is stored of a scene: after a release or a crash, the scene
/// is created again from its address. The parameters contain any text, which is percent-encoded when it is written.
public struct SceneAddress: Sendable, Hashable {
    /// The kind of the scene: letters, digits, `-`, `.`, `_`.
    public let name: String
    /// The part after the name and a slash; `nil` without a slash. It has the characters of a name, and slashes.
    public var argument: String?
    /// The parameters in order; if two have the same name, the first one counts.
    public private(set) var parameters: URLParameters

    public init(_ name: String, argument: String? = nil, parameters: KeyValuePairs<String, String> = [:]) {
        let parameters = parameters.map { URLParameters.Parameter(name: $0.key, value: $0.value) }
        (self.name, self.argument, self.parameters) = (name, argument, URLParameters(parameters))
    }

    /// The value of a parameter; setting `nil` removes the parameter.
    public subscript(_ name: String) -> String? {
        get { parameters[name] }
        set { parameters[name] = newValue }
    }

    /// The value of a parameter as a number; `nil` if it is missing.
    /// - Throws: the reason if it is not a number, or less than `least`.
    public func number(_ name: String, from least: Int? = nil) throws(SceneRefusal) -> Int? {
        guard let text = self[name] else { return nil }
        if let number = Int(text), number >= least ?? .min { return number }
        let range = least.map { " from \($0)" } ?? ""
        throw SceneRefusal("\(name)=\(text): must be a number\(range)", code: "no-number")
    }
}

extension SceneAddress: CustomStringConvertible {
    /// Parses `name/argument?name=value&…`; `nil` if the text is not such an address.
    public init?(parsing text: String) { self.init(url: "scene://" + text) }

    /// Parses the part of a URL after its scheme, `scheme://…` or `scheme:…`; the scheme itself is ignored.
    public init?(url: String) {
        guard let parts = try? URLParts(of: url) else { return nil }
        // A URL in the form `scheme:name/argument` has no host (RFC 3986 §3), so its path contains the name.
        self.init(path: (parts.host ?? "") + parts.path, parts.parameters)
    }

    /// Splits `name/argument`.
    init?(path: String, _ parameters: URLParameters) {
        let parts = path.split(separator: "/", maxSplits: 1)
        guard let name = parts.first, !path.hasPrefix("/"), path.unicodeScalars.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.init(String(name), argument: parts.dropFirst().first.map(String.init))
        self.parameters = parameters
    }

    /// The text that parses to the same address.
    public var description: String { parameters.added(to: name + (argument.map { "/" + $0 } ?? "")) }

    /// The complete URL.
    public func url(scheme: String) -> String { "\(scheme)://\(self)" }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            || "-._/".unicodeScalars.contains(scalar)
    }
}

/// An address is encoded as its text.
extension SceneAddress: Codable, RawRepresentable {
    public init?(rawValue: String) { self.init(parsing: rawValue) }
    public var rawValue: String { description }
}
