internal import Foundation
public import IPC

/// The kind of a scene and what it shows: `counter?n=5`, or `question/7?view=narrow`.
///
/// It is the part of a URL after `scheme://`. Nothing else is stored of a scene: after a release or a crash, the scene
/// is created again from its address. The properties contain decoded text; only the written form is percent-encoded
/// (RFC 3986 §2.1).
public struct SceneAddress: Sendable, Hashable {
    /// The kind of the scene: letters, digits, `-`, `.`, `_`.
    public let name: String
    /// The part after the name and a slash; `nil` without a slash.
    public var argument: String?
    /// The parameters in order; if two have the same name, the first one counts.
    public private(set) var parameters: URLParameters

    public init(_ name: String, argument: String? = nil, parameters: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.argument = argument
        self.parameters = URLParameters(parameters.map { URLParameters.Parameter(name: $0.key, value: $0.value) })
    }

    /// The value of a parameter; setting `nil` removes the parameter.
    public subscript(_ name: String) -> String? {
        get { parameters[name] }
        set { parameters[name] = newValue }
    }

    /// The value of a parameter as a number; `nil` if it is missing or not a number.
    public func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}

extension SceneAddress: CustomStringConvertible {
    /// Parses `name/argument?name=value&…`; `nil` if the text is not such an address.
    public init?(parsing text: String) { self.init(url: "scene://" + text) }

    /// Parses the part of a URL after its scheme, `scheme://…` or `scheme:…`; the scheme itself is ignored.
    public init?(url: String) {
        guard let parts = URLComponents(string: url), parts.scheme != nil else { return nil }
        // A URL in the form `scheme:name/argument` has no host (RFC 3986 §3), so its path contains the name.
        let path = (parts.host.map { $0 + "/" } ?? "") + parts.path.drop { $0 == "/" }
        self.init(path: path, URLParameters(of: url))
    }

    /// Splits `name/argument`, whose text is already decoded.
    init?(path: String, _ parameters: URLParameters) {
        let (name, argument) = path.cut(at: "/")
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isAllowed) else { return nil }
        self.name = name
        self.argument = argument.flatMap { $0.isEmpty ? nil : $0 }
        self.parameters = parameters
    }

    /// The text that parses to the same address.
    public var description: String {
        var parts = URLComponents()
        parts.path = name + (argument.map { "/" + $0 } ?? "")
        return parameters.added(to: parts.string ?? name)
    }

    /// The complete URL.
    public func url(scheme: String) -> String { "\(scheme)://\(self)" }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            || "-._".unicodeScalars.contains(scalar)
    }
}

extension SceneAddress: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let address = SceneAddress(parsing: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "“\(text)” is not the address of a scene"))
        }
        self = address
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension String {
    /// The part before the first `delimiter`, and the part after it; the second is `nil` without a delimiter.
    func cut(at delimiter: Character) -> (String, String?) {
        guard let place = firstIndex(of: delimiter) else { return (self, nil) }
        return (String(self[..<place]), String(self[index(after: place)...]))
    }
}
