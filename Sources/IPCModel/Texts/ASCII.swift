/// Character classes of the grammars, by byte: RFC 3986, RFC 2045 and the D-Bus specification are all written in ASCII.
extension UInt8 {
    /// `A` to `Z` or `a` to `z`; `ALPHA` of RFC 5234 §B.1.
    var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// `0` to `9`; `DIGIT` of RFC 5234 §B.1.
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// A letter or a digit.
    var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// U+0000 to U+001F or U+007F; `CTL` of RFC 5234 §B.1.
    var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// U+0021 to U+007E; `VCHAR` of RFC 5234 §B.1.
    var isASCIIVisible: Bool { (0x21...0x7E).contains(self) }

    /// The byte with `A` to `Z` turned into `a` to `z`, and every other byte as it is.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension String {
    /// The text with `A` to `Z` turned into `a` to `z` and nothing else touched: `İ` and its kin stay what they are.
    var asciiLowercased: String {
        if allBytes({ $0.asciiLowercased == $0 }) { return self }
        return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether all bytes of UTF-8 meet a condition. They mostly stand side by side, where to go from one to the next is no
    /// work.
    func allBytes(_ isRight: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
    }

    /// Whether both texts are the same bytes of UTF-8.
    ///
    /// `==` of `String` is canonical equivalence: it takes “é” in one scalar and in two for the same text.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Feeds the bytes of UTF-8, in agreement with ``isIdentical(to:)``.
    package func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
