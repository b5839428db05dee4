import Foundation

/// A field of a form: a name and a value, both decoded.
public struct FormField: Sendable, Hashable {
    public let name: String
    public let value: String

    /// Creates a field from any two strings.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// Encodes and decodes the text of a form: `application/x-www-form-urlencoded`, URL Standard (WHATWG) §5.
public enum FormText {
    /// The content type of an encoded form.
    public static let contentType = "application/x-www-form-urlencoded"

    /// Encodes the fields in order; everything except ASCII letters, digits and `*-._` is escaped.
    public static func encode(_ fields: [FormField]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        // The result is nil only for text that is not Unicode, and every String is Unicode.
        let encoded = text.addingPercentEncoding(withAllowedCharacters: plain)!
        return encoded.replacing(" ", with: "+")
    }

    /// Decodes text; `nil` if a percent sign is not followed by two digits, or the bytes are not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? {
        String(text).replacing("+", with: " ").removingPercentEncoding
    }

    /// The characters that are not escaped. A blank is one of them, because it becomes a plus sign instead.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
}
