internal import IPCModel

/// Encodes values of key files (Desktop Entry Specification, "Possible value types").
package enum KeyFileText {
    /// For each character to escape, the letter that follows the backslash.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
        "\\": "\\", "\n": "n", "\t": "t", "\r": "r", " ": "s",
    ]

    /// Escapes a string: `\s` for a blank at either end, `\n`, `\t`, `\r` and `\\`.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        let last = text.unicodeScalars.count - 1
        for (place, scalar) in text.unicodeScalars.enumerated() {
            let isInnerBlank = scalar == " " && place > 0 && place < last
            if !isInnerBlank, let letter = letters[scalar] {
                result += ["\\", letter]
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Replaces the escapes that ``escaped(_:)`` writes; all other escapes stay as they are.
    static func unescaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "\\", let letter = scalars.next() {
                result += letters.first { $0.value == letter }.map { [$0.key] } ?? [scalar, letter]
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// A list of strings, each followed by “;”; a “;” inside a string becomes `\;`.
    static func list(_ elements: [String]) -> String {
        elements.map { escaped($0).spelling { $0 == ";" ? "\\;" : nil } + ";" }.joined()
    }
}
