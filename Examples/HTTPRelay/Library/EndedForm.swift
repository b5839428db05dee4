import Foundation
public import IPC

/// An answer of the form `key1=value1&key2=value2&…&END`.
///
/// The word at the end shows that the answer is complete. If the server announces no length, the body ends when the
/// connection closes, whether the server has finished or crashed.
public struct EndedForm: Sendable, Hashable {
    /// The fields, in the server's order.
    public let fields: [FormField]

    /// The value of the first field with this name; `nil` if there is none.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The value of a field that every answer of a kind has.
    public func value(of name: String) throws(Flaw) -> String {
        guard let value = self[name] else { throw .keyMissing(name) }
        return value
    }

    /// The word at the end of a complete answer.
    public static let end = "END"

    /// Reads an answer. Values are decoded like those of a form; one newline after `END` is ignored.
    /// - Parameters:
    ///   - bytes: the received bytes.
    ///   - contentLength: the number of bytes that the server announced; `nil` if it announced none.
    public init(_ bytes: [UInt8], contentLength: Int? = nil) throws(Flaw) {
        if let contentLength, contentLength != bytes.count {
            throw .cutOff(received: bytes.count, announced: contentLength)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        // In Swift, "\r\n" is a single Character.
        let whole = text.last?.isNewline == true ? text.dropLast() : text[...]
        var pieces = whole.split(separator: "&", omittingEmptySubsequences: false)
        guard pieces.last == Self.end[...] else {
            let after = pieces.firstIndex(of: Self.end[...]).map { pieces[($0 + 1)...].joined(separator: "&") }
            throw after.map { Flaw.textAfterEnd($0) } ?? Flaw.missingEnd(last: String(pieces.last ?? ""))
        }
        pieces.removeLast()
        var fields: [FormField] = []
        for (index, piece) in pieces.enumerated() {
            let field = try Self.field(piece, place: index + 1)
            guard !fields.contains(where: { $0.name == field.name }) else { throw .keyTwice(field.name) }
            fields.append(field)
        }
        self.fields = fields
    }

    private static func field(_ piece: Substring, place: Int) throws(Flaw) -> FormField {
        guard let sign = piece.firstIndex(of: "=") else { throw .noEqualsSign(String(piece), place: place) }
        guard let name = decode(piece[..<sign]),
            let value = decode(piece[piece.index(after: sign)...])
        else { throw .badEscape(String(piece), place: place) }
        guard !name.isEmpty else { throw .noKey(String(piece), place: place) }
        return FormField(name, value)
    }

    /// Decodes `application/x-www-form-urlencoded`, URL Standard (WHATWG) §5, in which a plus sign stands for a space.
    private static func decode(_ text: Substring) -> String? { text.replacing("+", with: " ").removingPercentEncoding }
}

extension EndedForm {
    /// The reason why an answer is rejected; positions are counted from 1.
    public enum Flaw: Error, Sendable, Hashable, CustomStringConvertible {
        /// There are fewer or more bytes than the server announced.
        case cutOff(received: Int, announced: Int)
        case notUTF8
        /// The last part is not `END`.
        case missingEnd(last: String)
        case textAfterEnd(String)
        case noEqualsSign(String, place: Int)
        case noKey(String, place: Int)
        case badEscape(String, place: Int)
        case keyTwice(String)
        case keyMissing(String)

        public var description: String {
            switch self {
            case .cutOff(let received, let announced):
                "the answer was cut off: \(received) of \(announced) bytes arrived"
            case .notUTF8: "the answer is not text in UTF-8"
            case .missingEnd(let last): "the answer does not end with END, but with “\(last)”: it may be cut off"
            case .textAfterEnd(let text): "the answer continues after END, with “\(text)”"
            case .noEqualsSign(let piece, let place): "the key “\(piece)” has no “=” (field \(place) of the answer)"
            case .noKey(let piece, let place): "“\(piece)” has no key (field \(place) of the answer)"
            case .badEscape(let piece, let place): "“\(piece)” is badly encoded (field \(place) of the answer)"
            case .keyTwice(let key): "the answer has the key “\(key)” twice"
            case .keyMissing(let key): "the answer has no usable key “\(key)”"
            }
        }
    }
}
