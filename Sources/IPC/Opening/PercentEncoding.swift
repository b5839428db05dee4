/// Percent-encoding of the components of a URL, RFC 3986 §2.1, byte by byte of UTF-8.
///
/// A plus sign is a plus sign: only HTML forms take it for a space.
public enum PercentEncoding {
    /// The text with every byte encoded but those that are unreserved.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) { bytes.append(byte) } else { bytes += [UInt8(ascii: "%")] + digits(of: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that was encoded; `nil` where a percent sign stands without two hexadecimal digits behind it, or the bytes
    /// are no UTF-8.
    public static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a byte stands for itself everywhere in a URL: a letter or digit of ASCII, `-`, `.`, `_` or `~` (RFC 3986 §2.3).
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// RFC 3986 §2.1 asks for capital letters.
    private static func digits(of byte: UInt8) -> [UInt8] { [digit(byte >> 4), digit(byte & 0x0F)] }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
