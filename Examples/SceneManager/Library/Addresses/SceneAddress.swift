internal import Foundation
public import IPC

/// Where a scene is found and what it shows: `counter?n=5`, or `question/7?view=narrow`.
///
/// It is the part of a URL behind `scheme://`, and all that is kept of a scene: what is let go or killed is made again
/// from its address. Text is text here, and percent-encoded (RFC 3986 §2.1) only where it is written down.
public struct SceneAddress: Sendable, Hashable {
    /// The kind of the scene: letters, digits, `-`, `.`, `_`.
    public let name: String
    /// What stands behind the name and a slash; `nil` without one.
    public var argument: String?
    /// In their order; of two with one name the first counts.
    public private(set) var parameters: URLParameters

    public init(_ name: String, argument: String? = nil, parameters: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.argument = argument
        self.parameters = URLParameters(parameters.map { URLParameters.Parameter(name: $0.key, value: $0.value) })
    }

    /// The value of a parameter; `nil` takes it away.
    public subscript(_ name: String) -> String? {
        get { parameters[name] }
        set { parameters[name] = newValue }
    }

    /// The value of a parameter as a number; `nil` where it is missing or none.
    public func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}

extension SceneAddress: CustomStringConvertible {
    /// Reads `name/argument?name=value&…`; `nil` where the text is nothing of the kind.
    public init?(parsing text: String) { self.init(url: "scene://" + text) }

    /// Reads what stands behind the scheme of a URL, `scheme://…` or `scheme:…`; the scheme is not looked at.
    public init?(url: String) {
        guard let parts = URLComponents(string: url), parts.scheme != nil else { return nil }
        // `scheme:name/argument` has no host (RFC 3986 §3).
        let path = (parts.host.map { $0 + "/" } ?? "") + parts.path.drop { $0 == "/" }
        self.init(path: path, URLParameters(of: url))
    }

    /// Takes `name/argument` apart; text, not encoded.
    init?(path: String, _ parameters: URLParameters) {
        let (name, argument) = path.cut(at: "/")
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isAllowed) else { return nil }
        self.name = name
        self.argument = argument.flatMap { $0.isEmpty ? nil : $0 }
        self.parameters = parameters
    }

    /// The text from which the same address is read.
    public var description: String {
        var parts = URLComponents()
        parts.path = name + (argument.map { "/" + $0 } ?? "")
        return parameters.added(to: parts.string ?? name)
    }

    /// The whole URL.
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
                .init(codingPath: decoder.codingPath, debugDescription: "“\(text)” is no address of a scene"))
        }
        self = address
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension String {
    /// What stands before the first such character, and what stands behind it.
    func cut(at delimiter: Character) -> (String, String?) {
        guard let place = firstIndex(of: delimiter) else { return (self, nil) }
        return (String(self[..<place]), String(self[index(after: place)...]))
    }
}
