internal import Glibc
package import IPC

/// Checks whether content is safe to show on a terminal: UTF-8 without control characters, except tabs and line ends.
/// Other control characters can change the terminal's settings, or hide a part of the text.
package struct TerminalCheck {
    private var text = TextCheck()
    private var hasControls = false
    private var last: UInt8 = 0

    /// - Returns: false once the content is known to be unsafe, so that the caller need not add further parts.
    mutating func add(_ part: UnsafeRawBufferPointer) -> Bool {
        for byte in part where !hasControls { note(byte) }
        return text.add(part) && !hasControls
    }

    private mutating func note(_ byte: UInt8) {
        switch byte {
        // In UTF-8, these are the second bytes of U+0080 to U+009F, the control characters of ISO 8859-1.
        case 0x80...0x9F: hasControls = last == 0xC2
        case UInt8(ascii: "\n"), UInt8(ascii: "\t"): hasControls = byte != UInt8(ascii: "\n") && isAfterReturn
        case UInt8(ascii: "\r"): hasControls = isAfterReturn
        case ..<0x20, 0x7F: hasControls = true
        default: hasControls = isAfterReturn
        }
        last = byte
    }

    /// Whether the last byte was a carriage return. It is safe only before a newline: other text overwrites the line.
    private var isAfterReturn: Bool { last == UInt8(ascii: "\r") }

    /// Whether the content is safe to show if no further part follows.
    var isComplete: Bool { text.isComplete && !hasControls && !isAfterReturn }

    package static func canShow(_ value: Representation.Value) -> Bool {
        var check = TerminalCheck()
        if case .file(let file) = value { return TextCheck.parts(of: file) { check.add($0) } && check.isComplete }
        _ = value.content.withUnsafeBytes { check.add($0) }
        return check.isComplete
    }
}
