/// A Swift value that is one scalar in JSON.
///
/// Integers of 64 bits and more and floating-point numbers are strings. A reader in another language would round them,
/// because most readers hold a JSON number as a double, and JSON has no word for infinity. Numbers are read as well.
protocol JSONScalar {
    /// The values that the type has, for an error.
    static var wanted: String { get }
    var json: JSONValue { get }
    init?(json: JSONValue)
}

extension Bool: JSONScalar {
    static var wanted: String { "a boolean" }
    var json: JSONValue { .boolean(self) }
    init?(json: JSONValue) {
        guard let value = json.boolean else { return nil }
        self = value
    }
}

extension String: JSONScalar {
    static var wanted: String { "a string" }
    var json: JSONValue { .string(self) }
    init?(json: JSONValue) {
        guard let value = json.string else { return nil }
        self = value
    }
}

extension JSONScalar where Self: FixedWidthInteger {
    static var wanted: String { "an integer from \(min) to \(max)" }
    var json: JSONValue { .integer(self) }
    init?(json: JSONValue) {
        guard let digits = json.digits, let value = Self(digits) ?? Self(fraction: json) else { return nil }
        self = value
    }

    /// The integer that is written as `1.0` or `1e3`. A double does not have all integers beyond 2^53.
    private init?(fraction json: JSONValue) {
        guard case .number(let digits) = json, let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
        self.init(exactly: value)
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

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static var wanted: String { "a number up to \(greatestFiniteMagnitude)" }
    var json: JSONValue { .string(description) }
    init?(json: JSONValue) {
        // Digits beyond the range of the type are read as infinity.
        guard let digits = json.digits, let value = Self(digits), !value.isInfinite || digits.contains("inf") else {
            return nil
        }
        self = value
    }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}
