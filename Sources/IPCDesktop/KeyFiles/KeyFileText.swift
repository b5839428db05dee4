/// Writes values of key files; Desktop Entry Specification, "Possible value types".
package enum KeyFileText {
    /// Escapes a string: `\s` for a blank at an end, `\n`, `\t`, `\r` and `\\`.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for (place, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case " " where place == 0 || place == text.unicodeScalars.count - 1: result += "\\s"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Replaces the escapes of ``escaped(_:)``; every other escape stays as it is.
    static func unescaped(_ text: String) -> String {
        var result = ""
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\\", let escape = scalars.next() else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch escape {
            case "\\": result += "\\"
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "s": result += " "
            default:
                result.unicodeScalars.append(scalar)
                result.unicodeScalars.append(escape)
            }
        }
        return result
    }

    /// A list of strings, separated and ended by “;”; a “;” within one is `\;`.
    static func list(_ elements: [String]) -> String {
        elements.map { escaped($0).replacing(";", with: "\\;") + ";" }.joined()
    }
}
