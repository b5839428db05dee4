import IPCModel

/// Shell commands that fix a problem and can be run unchanged.
enum ShellLine {
    /// Quotes a word for bash and sh if one of its characters has a meaning for the shell.
    static func word(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber) || "_./:=@%+,-".contains($0)
        }
        guard !isPlain || text.isEmpty else { return text }
        return "'" + text.spelling { $0 == "'" ? #"'\''"# : nil } + "'"
    }

    static func command(_ words: String...) -> String { words.map(word).joined(separator: " ") }

    /// Joins commands, so that each one runs only if the one before succeeds.
    static func all(_ commands: String?...) -> String { commands.compactMap(\.self).joined(separator: " && ") }

    /// Makes the bus read the service files again (`ReloadConfig`).
    static let reload =
        "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null"

    /// Starts a session bus for this shell.
    static let ownBus = #"export DBUS_SESSION_BUS_ADDRESS="$(dbus-daemon --session --fork --print-address)""#

    /// Sends SIGTERM to a process and waits until it has exited. The next call to the broker starts it again.
    static func end(_ process: Int32) -> String { "kill \(process) && tail --pid=\(process) -f /dev/null" }

    /// Edits a file in place with sed commands.
    static func edit(_ file: String, _ scripts: String...) -> String {
        let expressions = scripts.map { "-e \(word($0))" }.joined(separator: " ")
        return "sed -i --follow-symlinks \(expressions) \(word(file))"
    }

    /// Replaces a line. Finds it by its text, because its number may differ after another edit.
    static func replace(_ line: String, of file: String, with text: String) -> String {
        edit(file, address(line) + "c\\" + text.spelling { $0 == "\\" ? "\\\\" : nil })
    }

    static func remove(_ line: String, of file: String) -> String { edit(file, address(line) + "d") }

    /// A sed address for a whole line: a basic regular expression (POSIX.1-2017, "Basic Regular Expressions").
    private static func address(_ line: String) -> String {
        var expression = ""
        for scalar in line.unicodeScalars {
            if #"\/.*[^$"#.unicodeScalars.contains(scalar) { expression += "\\" }
            expression.unicodeScalars.append(scalar)
        }
        return "/^\(expression)$/"
    }
}
