extension PasteboardName {
    /// The name as the last element of the pasteboard's object path. A path element contains only `[A-Za-z0-9_]` (D-Bus
    /// specification, “Valid Object Paths”), so every byte other than a letter or digit becomes `_` and two lower-case
    /// hexadecimal digits: `my board` gives `my_20board`.
    package var pathElement: String {
        var element: [UInt8] = []
        for byte in text.utf8 {
            if byte.isASCIIAlphanumeric {
                element.append(byte)
            } else {
                element.append(0x5F)
                element += byte.hexadecimal
            }
        }
        return String(decoding: element, as: UTF8.self)
    }

    /// Creates the name that has this ``pathElement``; `nil` if there is none. Only the exact escaping is accepted, so
    /// a pasteboard has exactly one path. Rejected are `_41` (a letter that needs no escape), `_C3` (upper-case
    /// digits), `_4` (cut off) and bytes that are not UTF-8.
    package init?(pathElement: String) {
        guard let bytes = Self.unescaped(pathElement.utf8), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        try? self.init(text)
    }

    private static func unescaped(_ element: String.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = element.makeIterator()
        while let byte = rest.next() {
            if byte.isASCIIAlphanumeric {
                bytes.append(byte)
            } else if byte == 0x5F, let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue {
                let escaped = high << 4 | low
                guard !escaped.isASCIIAlphanumeric else { return nil }
                bytes.append(escaped)
            } else {
                return nil
            }
        }
        return bytes
    }
}
