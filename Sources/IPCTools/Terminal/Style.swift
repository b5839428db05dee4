internal import ArgumentParser
internal import Glibc

/// When the tools use colour.
package enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
    case auto
    case always
    case never
}

/// Emphasises text on one stream with escape sequences (ECMA-48 §8.3.117), or leaves it plain.
package struct Style: Sendable {
    package let isColored: Bool

    /// - Parameter variable: returns the value of an environment variable; `nil` if it is not set.
    package init(
        _ choice: ColorChoice, for stream: OutputStream,
        variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        isColored =
            switch choice {
            case .always: true
            case .never: false
            case .auto: Self.environmentChoice(variable) ?? stream.takesEscapes
            }
    }

    /// Whether the environment asks for colour, or for none; `nil` if the terminal decides. The variables have this
    /// order: `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE` and `CLICOLOR` (bixense.com/clicolors).
    private static func environmentChoice(_ variable: (String) -> String?) -> Bool? {
        if variable("NO_COLOR") ?? "" != "" { return false }
        if !["", "0"].contains(variable("CLICOLOR_FORCE") ?? "") { return true }
        return variable("CLICOLOR") == "0" ? false : nil
    }

    package func bold(_ text: String) -> String { wrap(text, "1") }
    package func red(_ text: String) -> String { wrap(text, "1;31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
