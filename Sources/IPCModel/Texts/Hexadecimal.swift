extension UInt8 {
    /// The byte as two digits of `0123456789abcdef`, in ASCII.
    var hexadecimal: [UInt8] { [(self >> 4).hexadecimalDigit, (self & 0x0F).hexadecimalDigit] }

    /// The digit of `0123456789abcdef`, in ASCII, that stands for a value from 0 to 15.
    var hexadecimalDigit: UInt8 { self < 10 ? self + 0x30 : self - 10 + 0x61 }

    /// The value of one of the digits `0123456789abcdef` in ASCII; `nil` for other bytes.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// The bytes as digits of `0123456789abcdef`.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (index, byte) in enumerated() {
                digits[2 * index] = (byte >> 4).hexadecimalDigit
                digits[2 * index + 1] = (byte & 0x0F).hexadecimalDigit
            }
            return 2 * count
        }
    }

    /// Decodes digits of `0123456789abcdef`; `nil` if there are other characters, or an odd number of digits.
    package init?(hexadecimal text: String) {
        let values = text.utf8.compactMap(\.hexadecimalValue)
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
