/// Lays out a JSON text that somebody else made, without reading its values: numbers and strings stay as they are.
package enum JSONText {
    /// Two blanks a level, a member or element a line.
    package static func indented(_ text: String) -> String {
        var layout = Layout()
        for byte in text.utf8 { layout.add(byte) }
        return String(decoding: layout.bytes, as: UTF8.self)
    }

    private struct Layout {
        var bytes: [UInt8] = []
        private var depth = 0
        private var isInString = false
        private var isEscaped = false
        private var opens = false

        mutating func add(_ byte: UInt8) {
            if isInString {
                bytes.append(byte)
                if isEscaped { isEscaped = false } else { react(inString: byte) }
                return
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                if opens { opens = false } else { newLine() }
                bytes.append(byte)
            default: put(byte)
            }
        }

        private mutating func put(_ byte: UInt8) {
            if opens { newLine() }
            opens = false
            bytes.append(byte)
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ":"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: ","): newLine()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                opens = true
            default: break
            }
        }

        private mutating func react(inString byte: UInt8) {
            if byte == UInt8(ascii: "\\") { isEscaped = true }
            if byte == UInt8(ascii: "\"") { isInString = false }
        }

        private mutating func newLine() {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        }
    }
}
