/// A Swift value that is one scalar in JSON.
///
/// Numbers of which a reader in another language would lose digits, integers of 64 bits and more and floating point
/// numbers, are strings: many readers keep every JSON number as a Double, and JSON has none of `inf` and `nan`. Whoever
/// reads takes a string and a number alike.
protocol JSONScalar {
    var jsonTree: JSONTree { get }
    /// - Throws: a sentence where the tree is no such value.
    init(jsonTree: JSONTree) throws(JSONMismatch)
}

/// Why a JSON value is not the Swift value that is wanted.
struct JSONMismatch: Error {
    let reason: String
}

extension Bool: JSONScalar {
    var jsonTree: JSONTree { .boolean(self) }
    init(jsonTree: JSONTree) throws(JSONMismatch) {
        guard case .boolean(let value) = jsonTree else {
            throw JSONMismatch(reason: "a boolean is expected, and there is \(jsonTree.kind)")
        }
        self = value
    }
}

extension String: JSONScalar {
    var jsonTree: JSONTree { .string(self) }
    init(jsonTree: JSONTree) throws(JSONMismatch) {
        guard case .string(let value) = jsonTree else {
            throw JSONMismatch(reason: "a string is expected, and there is \(jsonTree.kind)")
        }
        self = value
    }
}

extension JSONTree {
    /// The digits of a number, be it a string or not.
    fileprivate var numberText: String {
        get throws(JSONMismatch) {
            switch self {
            case .number(let text), .string(let text): text
            default: throw JSONMismatch(reason: "a number is expected, and there is \(kind)")
            }
        }
    }
}

// MARK: Integers

extension JSONScalar where Self: FixedWidthInteger {
    var jsonTree: JSONTree { Self.bitWidth < 64 ? .number(String(self)) : .string(String(self)) }

    init(jsonTree: JSONTree) throws(JSONMismatch) {
        let text = try jsonTree.numberText
        if let value = Self(text) ?? Self.integer(ofFraction: text, in: jsonTree) {
            self = value
        } else {
            throw JSONMismatch(reason: "“\(text.prefix(100))” is no integer from \(Self.min) to \(Self.max)")
        }
    }

    /// A JSON number such as `1.0` or `1e3`.
    private static func integer(ofFraction text: String, in tree: JSONTree) -> Self? {
        // Beyond 2^53 a Double has not all integers.
        guard case .number = tree, let value = Double(text), value.magnitude < 0x1p53 else { return nil }
        return Self(exactly: value)
    }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension Int128: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
extension UInt128: JSONScalar {}

// MARK: Floating point numbers

/// What the two types of floating point numbers have in common here.
protocol JSONFloat: JSONScalar, BinaryFloatingPoint, LosslessStringConvertible
where RawSignificand: FixedWidthInteger {}

extension JSONFloat {
    /// `description` is lossless but for what is no number; of such, sign and bits stand there, as in `-nan(0x8000…1)`.
    var jsonTree: JSONTree {
        guard isNaN else { return .string(description) }
        let bits = significandBitPattern
        return .string(
            (sign == .minus ? "-nan" : "nan")
                + (bits == Self.nan.significandBitPattern ? "" : "(0x\(String(bits, radix: 16)))"))
    }

    init(jsonTree: JSONTree) throws(JSONMismatch) {
        let text = try jsonTree.numberText
        if let value = Self.notANumber(text) {
            self = value
            return
        }
        guard let value = Self(text), !value.isNaN else {
            throw JSONMismatch(reason: "“\(text.prefix(100))” is no number")
        }
        guard !value.isInfinite || text.contains("inf") else {
            throw JSONMismatch(reason: "“\(text.prefix(100))” is too large a number")
        }
        self = value
    }

    private static func notANumber(_ text: String) -> Self? {
        let magnitude = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let sign = text.hasPrefix("-") ? FloatingPointSign.minus : .plus
        var bits = nan.significandBitPattern
        if magnitude.hasPrefix("nan(0x"), magnitude.hasSuffix(")") {
            guard let stated = RawSignificand(magnitude.dropFirst(6).dropLast(), radix: 16), stated != 0,
                stated >> RawSignificand(significandBitCount) == 0
            else { return nil }
            bits = stated
        } else if magnitude != "nan" {
            return nil
        }
        return Self(sign: sign, exponentBitPattern: infinity.exponentBitPattern, significandBitPattern: bits)
    }
}

extension Double: JSONFloat {}
extension Float: JSONFloat {}
