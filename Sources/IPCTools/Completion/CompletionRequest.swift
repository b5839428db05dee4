private import ArgumentParser
private import IPCModel

/// A shell's request to complete a word of a command line.
struct CompletionRequest: Sendable {
    private let words: [String]
    /// The part of the word before the cursor; empty if the word may contain quotation marks, or is not the last one.
    let start: String

    /// - Parameters:
    ///   - words: the words of the command line, including the program's name and any quotation marks.
    ///   - place: the index of the word to complete.
    ///   - start: the part of that word before the cursor.
    init(_ words: [String], _ place: Int, _ start: String) {
        self.words = words
        self.start = place == words.count - 1 && SafeName.isSafe(start) ? start : ""
    }

    /// The pasteboard that a command reads: the value of `--board`, the first argument of `get`, or `general`.
    var board: String {
        if let option = words.firstIndex(of: "--board"), option + 1 < words.count { return words[option + 1] }
        guard words.dropFirst().first == "get" else { return "general" }
        return words.dropFirst(2).first { !$0.hasPrefix("-") } ?? ""
    }

    /// Escapes the colons of a name for zsh, which would read the text after a colon as a description.
    func shown(_ name: String) -> String {
        CompletionShell.requesting == .zsh ? name.spelling { $0 == ":" ? "\\:" : nil } : name
    }
}

/// Names that mean the same with and without quotes around them, in every shell.
enum SafeName {
    /// Whether every shell reads a name literally. Bash would run `command` (`compgen -W`) if a sandboxed program chose
    /// the name `$(command)`.
    static func isSafe(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { scalar in
            guard scalar.isASCII else { return scalar.properties.isAlphabetic || scalar.properties.numericType != nil }
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "/", ":", "+", "@", "%", "=", ",": return true
            // A semicolon precedes a parameter of a content type. It is safe, because bash quotes it.
            case ";": return true
            default: return false
            }
        }
    }
}
