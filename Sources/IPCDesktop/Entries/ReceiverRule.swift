internal import Glibc

/// Finds commands that a bus can run, but that cannot receive URLs. A receiver owns a bus name, which neither a shell
/// nor a common utility does. Every other program may be a receiver, or start one, so the rule has no false alarms.
package enum ReceiverRule {
    /// The programs that a command runs, if none of them can be a receiver; `nil` if one may be.
    package static func utilities(of command: CommandWords) -> [String]? {
        let programs: [String]
        if let script = script(of: command) {
            guard let found = ShellScript(script).programs else { return nil }
            programs = found
        } else {
            programs = [name(of: command.words[0])]
        }
        guard programs.allSatisfy(utilities.contains) else { return nil }
        return programs.reduce(into: []) { known, next in if !known.contains(next) { known.append(next) } }
    }

    /// The shell script that a command runs; `nil` if it runs another program, or if the script cannot be read.
    private static func script(of command: CommandWords) -> String? {
        guard shells.contains(name(of: command.words[0])) else {
            guard let text = start(of: command.words[0]), text.hasPrefix("#!") else { return nil }
            let line = text.dropFirst(2).prefix { $0 != "\n" }.split(separator: " ").map { name(of: String($0)) }
            let interpreter = line.first == "env" ? line.dropFirst().first { !$0.hasPrefix("-") } : line.first
            return interpreter.map(shells.contains) ?? false ? text : nil
        }
        let words = command.words.dropFirst()
        let options = words.prefix { $0.hasPrefix("-") }
        guard let next = words.dropFirst(options.count).first else { return nil }
        return options.contains { $0.dropFirst().contains("c") && !$0.hasPrefix("--") } ? next : start(of: next)
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The first 64 KiB of a file as text; `nil` if it cannot be read.
    private static func start(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private static let shells: Set<String> = ["ash", "bash", "dash", "ksh", "mksh", "sh", "yash", "zsh"]

    private static let utilities: Set<String> = [
        // Commands of the shell. Those that run a command given as text, such as `eval`, are left out.
        ":", "[", "[[", "break", "cd", "continue", "declare", "echo", "exit", "export", "false", "local", "printf",
        "pwd", "read", "readonly", "return", "set", "shift", "test", "trap", "true", "umask", "unset", "wait",
        // Programs that read, write, show or fetch something, and exit.
        "awk", "base64", "basename", "cat", "chmod", "cp", "curl", "cut", "date", "dirname", "expr", "grep", "head",
        "id", "jq", "kdialog", "ln", "logger", "ls", "mail", "mkdir", "mktemp", "mv", "notify-send",
        "paste", "rm", "rmdir", "sed", "seq", "sleep", "sort", "tail", "tee", "touch", "tr", "uname", "uniq", "wc",
        "wget", "wl-copy", "xclip", "xdg-open", "xmessage", "xsel", "zenity",
    ]
}

/// The text of a shell script, read just well enough to name its programs.
struct ShellScript {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The programs that the script runs, in order; `nil` if a name is computed, or if the script is not understood.
    var programs: [String]? {
        // The lines of a here-document are not commands.
        guard !text.contains("<<"), let commands else { return nil }
        var programs: [String] = []
        for words in commands {
            let program = words.enumerated().first { place, word in
                let isFile = place > 0 && (words[place - 1].hasSuffix(">") || words[place - 1].hasSuffix("<"))
                return !isFile && !word.contains { "<>".contains($0) } && !Self.keywords.contains(word)
                    && !Self.isAssignment(word)
            }
            guard let name = program?.element else { continue }
            guard !name.contains(where: { "$\"'\\".contains($0) }) else { return nil }
            programs.append(name.split(separator: "/").last.map(String.init) ?? name)
        }
        return programs
    }

    private static let keywords: Set<String> = [
        "!", "do", "done", "elif", "else", "fi", "if", "then", "until", "while",
    ]

    private static func isAssignment(_ word: String) -> Bool {
        guard let end = word.firstIndex(of: "=") else { return false }
        return word[..<end].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// The words of each simple command, with their quotation marks; `nil` if a mark is not closed.
    private var commands: [[String]]? {
        var (lines, words, word) = ([[String]](), [String](), "")
        var characters = Array(text)[...]
        func endWord() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        while let next = characters.popFirst() {
            switch next {
            case "\\": if let escaped = characters.popFirst(), escaped != "\n" { word += "\\" + String(escaped) }
            case "\"", "'":
                guard let quoted = Self.quoted(next, &characters) else { return nil }
                word += quoted
            case "#" where word.isEmpty: characters = characters.drop { $0 != "\n" }
            case " ", "\t": endWord()
            case "{" where !word.isEmpty, "}" where !word.isEmpty: word.append(next)
            case "&" where word.hasSuffix(">") || word.hasSuffix("<"): word.append(next)
            case "\n", ";", "|", "&", "(", ")", "{", "}", "`":
                endWord()
                lines.append(words)
                words = []
            default: word.append(next)
            }
        }
        endWord()
        return lines + [words]
    }

    /// Takes the rest of a quoted text, with both of its marks; `nil` if the end is missing.
    private static func quoted(_ mark: Character, _ characters: inout ArraySlice<Character>) -> String? {
        var text = String(mark)
        while let next = characters.popFirst() {
            text.append(next)
            if next == mark { return text }
            if next == "\\", mark == "\"", let escaped = characters.popFirst() { text.append(escaped) }
        }
        return nil
    }
}
