internal import Glibc

/// Character classes for the ASCII grammars in RFC 3986, RFC 2045 and the D-Bus specification.
extension UInt8 {
    /// `A` to `Z` or `a` to `z`; `ALPHA` of RFC 5234 §B.1.
    var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// `0` to `9`; `DIGIT` of RFC 5234 §B.1.
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// U+0000 to U+001F or U+007F; `CTL` of RFC 5234 §B.1.
    var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// U+0021 to U+007E; `VCHAR` of RFC 5234 §B.1.
    var isASCIIVisible: Bool { (0x21...0x7E).contains(self) }

    /// The byte with `A` to `Z` replaced by `a` to `z`; other bytes are unchanged.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension String {
    /// The string with `A` to `Z` replaced by `a` to `z`; other letters, such as `İ`, are unchanged.
    var asciiLowercased: String {
        if allBytes({ $0.asciiLowercased == $0 }) { return self }
        return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether all UTF-8 bytes of the string meet a condition. This is fast, because most strings are contiguous.
    func allBytes(_ isRight: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
    }

    /// Whether both strings have the same UTF-8 bytes. In contrast, `==` compares by canonical equivalence, so “é” as
    /// one scalar equals “é” as two.
    package func isIdentical(to other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
        return answer.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// Hashes the UTF-8 bytes, consistent with ``isIdentical(to:)``.
    package func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
