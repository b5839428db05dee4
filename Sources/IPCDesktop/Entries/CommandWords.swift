internal import Glibc
package import IPCModel

/// The words of a command that a bus runs without a shell. In text form, buses expect them quoted as for a shell.
package struct CommandWords: Sendable, Hashable {
    /// The program and its arguments; at least one word.
    package let words: [String]

    package init(words: [String]) { self.words = words }

    /// Reads a line with the quotation marks and backslashes of a shell (POSIX.1-2017, "Quoting").
    /// - Throws: ``Invalid`` if the line is incomplete, or has shell syntax, which a bus would pass on as arguments.
    package init(_ line: String) throws(Invalid) {
        var (words, word) = ([String](), String?.none)
        var scalars = Array(line.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case " ", "\t", "\n":
                if let ended = word { words.append(ended) }
                word = nil
            case "'":
                guard let end = scalars.firstIndex(of: "'") else { throw .unclosed(line) }
                word = (word ?? "") + String(String.UnicodeScalarView(scalars[..<end]))
                scalars = scalars[(end + 1)...]
            case "\"":
                word = (word ?? "") + (try Self.quoted(&scalars, line))
            case "\\":
                guard let escaped = scalars.popFirst() else { throw .unclosed(line) }
                word = (word ?? "") + String(escaped)
            case "|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[", "~", "#":
                throw .needsShell(line, scalar)
            default:
                word = (word ?? "") + String(scalar)
            }
        }
        if let ended = word { words.append(ended) }
        guard let program = words.first, !program.isEmpty else { throw .empty }
        self.words = words
    }

    /// Reads the rest of a string in double quotation marks.
    private static func quoted(_ scalars: inout ArraySlice<Unicode.Scalar>, _ line: String) throws(Invalid) -> String {
        var text = ""
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"": return text
            case "$", "`": throw .needsShell(line, scalar)
            case "\\":
                guard let next = scalars.popFirst() else { throw .unclosed(line) }
                text += ["\"", "\\", "$", "`"].contains(next) ? String(next) : "\\" + String(next)
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw .unclosed(line)
    }

    /// The same command with its program's absolute path, because a bus knows neither `PATH` nor the working directory.
    /// - Parameters:
    ///   - path: the folders, separated by “:”, in which to look up a program without “/”.
    ///   - folder: the absolute path that a relative path starts from.
    package func located(in path: String, from folder: String) throws(Invalid) -> CommandWords {
        var program = words[0]
        if program.contains("/"), !program.hasPrefix("/") {
            while program.hasPrefix("./") { program = String(program.dropFirst(2).drop { $0 == "/" }) }
            program = (folder.hasSuffix("/") ? folder : folder + "/") + program
        }
        let candidates = program.hasPrefix("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
        guard let found = candidates.first(where: { $0.hasPrefix("/") && access($0, X_OK) == 0 && !Folder.exists($0) })
        else {
            throw .noProgram(program)
        }
        return try CommandWords(words: [found] + words.dropFirst()).runnable()
    }

    /// The most bytes of a command: a message bus reads no service file above 128 KiB, and Linux starts no program with a
    /// longer argument (execve(2), `MAX_ARG_STRLEN`).
    package static let mostBytes = 127 << 10

    /// The same command, if a bus can run it.
    package func runnable() throws(Invalid) -> CommandWords {
        guard !words.contains(where: { $0.utf8.contains(0) }) else { throw .hasNUL }
        let bytes = KeyFileText.escaped(text).utf8.count
        guard bytes <= Self.mostBytes else { throw .tooLong(bytes) }
        return self
    }

    /// The words on one line, quoted where necessary.
    package var text: String { words.map(Self.quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z", "%", "+", ",", "-", ".", "/", ":", "=", "@", "_": true
            default: false
            }
        }
        guard word.isEmpty || !isPlain else { return word }
        // A single quotation mark is put in double ones, because not every bus removes a backslash before it.
        return "'" + word.spelling { $0 == "'" ? "'\"'\"'" : nil } + "'"
    }
}

extension CommandWords {
    package enum Invalid: Condition, Hashable {
        case empty
        /// A quotation mark is not closed, or the line ends with a backslash.
        case unclosed(String)
        /// A character in the line has a meaning only for shells.
        case needsShell(String, Unicode.Scalar)
        /// The program does not exist or is not executable.
        case noProgram(String)
        /// A character in the command is NUL, which ends an argument.
        case hasNUL
        /// The command has this many bytes, which is more than ``CommandWords/mostBytes``.
        case tooLong(Int)

        package var ipcError: IPCError { IPCError(.invalidArguments, sentence) }

        private var sentence: String {
            switch self {
            case .empty: "the command is empty"
            case .unclosed(let line): "the command \(line.quoted) has an unclosed quotation mark"
            case .needsShell(let line, let scalar):
                "the command \(line.quoted) has \(String(scalar).quoted), which only a shell understands, but the bus "
                    + "runs it without one; quote it, or write sh -c '…'"
            case .noProgram(let program):
                program.contains("/")
                    ? "there is no program \(program.quoted) that can be run"
                    : "there is no program \(program.quoted) in PATH"
            case .hasNUL: "the command has the character NUL, which no argument of a program can have; remove it"
            case .tooLong(let bytes):
                "the command has \(bytes) bytes with its quotation marks, but the bus starts only commands of at most "
                    + "\(CommandWords.mostBytes); put it into a script, and give the path of the script"
            }
        }
    }
}
