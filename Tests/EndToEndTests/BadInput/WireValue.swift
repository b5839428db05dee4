/// A value to send to the bus, even one that no D-Bus library would send.
///
/// The ``WirePeer`` receives it as JSON together with its signature, and marshals it.
struct WireValue: Sendable, Hashable {
    /// The value's type, as the signature of one complete type.
    let signature: String
    /// The form in which the peer receives it.
    let json: String

    static func s(_ text: String) -> WireValue { WireValue(signature: "s", json: JSON.text(text)) }
    static func o(_ text: String) -> WireValue { WireValue(signature: "o", json: JSON.text(text)) }
    static func g(_ text: String) -> WireValue { WireValue(signature: "g", json: JSON.text(text)) }
    static func b(_ value: Bool) -> WireValue { WireValue(signature: "b", json: value ? "1" : "0") }
    static func y(_ value: UInt8) -> WireValue { number("y", value) }
    static func i(_ value: Int32) -> WireValue { number("i", value) }
    static func u(_ value: UInt32) -> WireValue { number("u", value) }
    static func x(_ value: Int64) -> WireValue { number("x", value) }
    static func t(_ value: UInt64) -> WireValue { number("t", value) }
    static func d(_ value: Double) -> WireValue { number("d", value) }
    static func v(_ value: WireValue) -> WireValue { WireValue(signature: "v", json: value.inVariant) }
    static func strings(_ texts: [String]) -> WireValue { array("s", texts.map(s)) }

    /// A string of these bytes, which need not be UTF-8 and may contain NUL.
    static func rawText(_ bytes: [UInt8], _ signature: String = "s") -> WireValue {
        WireValue(signature: signature, json: #"{"hex":"\#(JSON.hexadecimal(bytes))"}"#)
    }

    /// A string, or an array of bytes, that repeats one character this many times; built by the peer.
    static func repeated(_ character: String, _ count: Int, before: String = "", _ signature: String = "s") -> WireValue
    {
        let parts = #""repeat":\#(JSON.text(character)),"count":\#(count),"before":\#(JSON.text(before))"#
        return WireValue(signature: signature, json: "{\(parts)}")
    }

    static func array(_ element: String, _ values: [WireValue]) -> WireValue {
        WireValue(signature: "a" + element, json: "[" + values.map(\.json).joined(separator: ",") + "]")
    }

    /// An array that repeats one element this many times; built by the peer.
    static func copies(_ value: WireValue, _ count: Int) -> WireValue {
        WireValue(signature: "a" + value.signature, json: #"{"copies":\#(value.json),"count":\#(count)}"#)
    }

    static func structure(_ fields: WireValue...) -> WireValue {
        WireValue(
            signature: "(" + fields.map(\.signature).joined() + ")",
            json: "[" + fields.map(\.json).joined(separator: ",") + "]")
    }

    /// `a{sv}` with the entries in this order, possibly with duplicate keys.
    static func options(_ entries: KeyValuePairs<String, WireValue>) -> WireValue {
        dictionary(entries.map { ($0.key, $0.value) })
    }

    /// `a{sv}` with computed entries.
    static func dictionary(_ entries: [(String, WireValue)]) -> WireValue {
        let pairs = entries.map { "[\(JSON.text($0.0)),\($0.1.inVariant)]" }
        return WireValue(signature: "a{sv}", json: "[" + pairs.joined(separator: ",") + "]")
    }

    static let none = options([:])

    /// `aa(sv)` with one item of one text value.
    static func item(_ text: String, _ type: String = "text/plain;charset=utf-8") -> WireValue {
        items([[(type, .s(text))]])
    }

    /// `aa(sv)`
    static func items(_ items: [[(String, WireValue)]]) -> WireValue {
        array("a(sv)", items.map { item in array("(sv)", item.map { structure(s($0.0), v($0.1)) }) })
    }

    private static func number(_ signature: String, _ value: some CustomStringConvertible) -> WireValue {
        WireValue(signature: signature, json: value.description)
    }

    private var inVariant: String { #"{"type":"\#(signature)","value":\#(json)}"# }
}

/// A minimal JSON writer that follows RFC 8259 §7.
enum JSON {
    static func text(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            // Only printable ASCII is written unescaped, so that no program on the way can change a character.
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
