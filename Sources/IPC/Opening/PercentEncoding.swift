/// Percent-encoding of the components of a URL, RFC 3986 §2.1, byte by byte of UTF-8.
///
/// A plus sign is a plus sign: only HTML forms take it for a space.
public enum PercentEncoding {
    /// RFC 3986 §2.1 asks for capital letters.
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The text with every byte encoded but those that are unreserved.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes +=
                isUnreserved(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
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
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        let capital = digit < UInt8(ascii: "a") ? digit : digit & 0xDF
        return digits.firstIndex(of: capital).map { UInt8($0) }
    }
}
