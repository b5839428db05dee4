/// Percent-encodes and decodes the components of a URL (RFC 3986 §2.1), as bytes of UTF-8. Unlike in HTML forms, a plus
/// sign does not stand for a space.
package enum PercentEncoding {
    /// RFC 3986 §2.1 recommends upper-case digits.
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes all bytes of a string except unreserved ones.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes +=
                isUnreserved(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a string; `nil` if a percent sign lacks its two hexadecimal digits, or if the result is not UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
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

    /// Whether a byte never needs encoding in a URL: an ASCII letter or digit, `-`, `.`, `_` or `~` (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
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
