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

    /// If neither `--color` nor `NO_COLOR` (no-color.org) decides, text is coloured if the stream is a terminal.
    package init(_ choice: ColorChoice, for stream: OutputStream) {
        switch choice {
        case .always: isColored = true
        case .never: isColored = false
        case .auto:
            isColored = stream.takesEscapes && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
        }
    }

    package func bold(_ text: String) -> String { wrap(text, "1") }
    package func red(_ text: String) -> String { wrap(text, "1;31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
