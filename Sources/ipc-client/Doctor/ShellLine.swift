/// Lines of shell that fix something and can be run as they are.
enum ShellLine {
    /// A word of a command line for bash and sh: in quotes if a character of it has a meaning for the shell.
    static func word(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber) || "_./:=@%+,-".contains($0)
        }
        guard !isPlain || text.isEmpty else { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    static func command(_ words: String...) -> String { words.map(word).joined(separator: " ") }

    /// One command after the other, as long as they succeed.
    static func all(_ commands: String?...) -> String { commands.compactMap(\.self).joined(separator: " && ") }

    /// Makes the bus read the service files again (`ReloadConfig`).
    static let reload =
        "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null"

    /// Starts a session bus for this shell.
    static let ownBus = #"export DBUS_SESSION_BUS_ADDRESS="$(dbus-daemon --session --fork --print-address)""#

    /// Sends SIGTERM to a process and waits until it has ended; the next call starts the broker again.
    static func end(_ process: Int32) -> String { "kill \(process) && tail --pid=\(process) -f /dev/null" }

    /// Edits a file in place by commands of sed.
    static func edit(_ file: String, _ scripts: String...) -> String {
        let expressions = scripts.map { "-e \(word($0))" }.joined(separator: " ")
        return "sed -i --follow-symlinks \(expressions) \(word(file))"
    }

    /// Replaces a line, which is found by its text: after another edit its number may differ.
    static func replace(_ line: String, of file: String, with text: String) -> String {
        edit(file, address(line) + "c\\" + text.replacing("\\", with: "\\\\"))
    }

    static func remove(_ line: String, of file: String) -> String { edit(file, address(line) + "d") }

    /// A whole line as a basic regular expression (POSIX.1-2017, "Basic Regular Expressions").
    private static func address(_ line: String) -> String {
        var expression = ""
        for scalar in line.unicodeScalars {
            if #"\/.*[^$"#.unicodeScalars.contains(scalar) { expression += "\\" }
            expression.unicodeScalars.append(scalar)
        }
        return "/^\(expression)$/"
    }
}
