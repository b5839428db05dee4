/// A Swift value that is a single scalar in JSON. Integers of 64 bits or more and floating-point numbers are written as
/// strings: most readers would round a JSON number to a double, and JSON has no infinity. When reading, both strings
/// and numbers are accepted.
protocol JSONScalar {
    /// A description of the expected values, for error messages.
    static var wanted: String { get }
    var json: JSONValue { get }
    static func read(_ json: JSONValue) -> Self?
}

extension Bool: JSONScalar {
    static var wanted: String { "a boolean" }
    var json: JSONValue { .boolean(self) }
    static func read(_ json: JSONValue) -> Bool? { json.boolean }
}

extension String: JSONScalar {
    static var wanted: String { "a string" }
    var json: JSONValue { .string(self) }
    static func read(_ json: JSONValue) -> String? { json.string }
}

extension JSONScalar where Self: FixedWidthInteger {
    static var wanted: String { "an integer from \(min) to \(max)" }
    var json: JSONValue { .integer(self) }
    static func read(_ json: JSONValue) -> Self? {
        if let value = json.digits.flatMap({ Self($0) }) { return value }
        // Accept integers such as `1.0` or `1e3`. Beyond 2^53, a double cannot represent all integers.
        guard case .number(let digits) = json, let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
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

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static var wanted: String { "a number up to \(greatestFiniteMagnitude)" }
    var json: JSONValue { .string(description) }
    static func read(_ json: JSONValue) -> Self? {
        // Reject a number that is too large, which would be read as infinity.
        guard let digits = json.digits, let value = Self(digits), !value.isInfinite || digits.contains("inf") else {
            return nil
        }
        return value
    }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}
