private import ArgumentParser

/// What a shell wants to know: its words, and the one of them that is to be completed.
struct CompletionRequest: Sendable {
    private let words: [String]
    /// How the word begins; nothing where that is not known for sure, for a shell hands it over as it was written.
    let start: String

    /// - Parameters:
    ///   - words: those of the command line with the program's name, quotes and all.
    ///   - place: which of them it is.
    ///   - start: what stands before the cursor of the last word.
    init(_ words: [String], _ place: Int, _ start: String) {
        self.words = words
        self.start = place == words.count - 1 && SafeName.isSafe(start) ? start : ""
    }

    /// The pasteboard that a command reads: that of `--board`, the first argument of `get`, or the general one.
    var board: String {
        if let option = words.firstIndex(of: "--board"), option + 1 < words.count { return words[option + 1] }
        guard words.dropFirst().first == "get" else { return "general" }
        return words.dropFirst(2).first { !$0.hasPrefix("-") } ?? ""
    }

    /// A name as the shell has to be told it: zsh takes what follows a colon for an explanation.
    func shown(_ name: String) -> String {
        CompletionShell.requesting == .zsh ? name.replacing(":", with: "\\:") : name
    }
}

/// Names that mean the same with and without quotes around them, in every shell.
enum SafeName {
    /// Whether a shell would take a name as it is.
    ///
    /// Bash expands the words that it is offered (`compgen -W`), so a pasteboard named `$(command)` would be a command
    /// for whoever presses the key; programs in a sandbox may choose names too.
    static func isSafe(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { scalar in
            guard scalar.isASCII else { return scalar.properties.isAlphabetic || scalar.properties.numericType != nil }
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "/", ":", "+", "@", "%", "=", ",": return true
            // Behind a content type it begins a parameter; bash quotes it when it puts the word into the line.
            case ";": return true
            default: return false
            }
        }
    }
}
