import Foundation

/// A name and its value, as they stand in a form.
public struct FormField: Sendable, Hashable {
    public let name: String
    public let value: String

    /// Makes a field of any two texts.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The text of a form: `application/x-www-form-urlencoded`, URL Standard (WHATWG) §5.
public enum FormText {
    /// The content type of such a text.
    public static let contentType = "application/x-www-form-urlencoded"

    /// The fields in their order, with everything encoded that is no letter, no digit and none of `*-._`.
    public static func encode(_ fields: [FormField]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        // It is nil for what is not Unicode, and every String is.
        let encoded = text.addingPercentEncoding(withAllowedCharacters: plain)!
        return encoded.replacing(" ", with: "+")
    }

    /// What was encoded; `nil` where a percent sign stands without two digits behind it, or the bytes are no UTF-8.
    static func decode(_ text: some StringProtocol) -> String? {
        String(text).replacing("+", with: " ").removingPercentEncoding
    }

    /// A blank is among them because it becomes a plus sign, which is encoded itself.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
}
