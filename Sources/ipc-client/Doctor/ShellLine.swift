/// Lines of shell that mend something, made so that they can be run as they stand.
enum ShellLine {
    /// A word of a command line as bash and sh read it: as it is where no character means anything, else in quotes.
    static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "_./:=@%+,-".utf8.contains(byte)
        }
        guard !isPlain || text.isEmpty else { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// A program with its arguments, by `sudo` where this user may not do it.
    static func command(_ words: String..., asRoot: Bool = false) -> String {
        (asRoot ? "sudo " : "") + words.map(word).joined(separator: " ")
    }

    /// One command after the other, as long as they succeed.
    static func all(_ commands: String?...) -> String { commands.compactMap(\.self).joined(separator: " && ") }

    /// Makes the bus read the service files again (`ReloadConfig`).
    static let reload =
        "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null"

    /// Begins a session bus for this shell.
    static let ownBus = #"export DBUS_SESSION_BUS_ADDRESS="$(dbus-daemon --session --fork --print-address)""#

    /// Ends a process in good order and waits until it is gone; the next call starts the broker anew.
    static func end(_ process: Int32) -> String { "kill \(process) && tail --pid=\(process) -f /dev/null" }

    // MARK: Lines of files

    // By what stands in them where their number would change: several of these may be run one after the other.

    /// Puts another text in the place of a line. The corresponding command of sed is `c`.
    static func replace(_ line: String, of file: String, with text: String, asRoot: Bool = false) -> String {
        edit(file, [address(line) + "c\\" + text.replacing("\\", with: "\\\\")], asRoot: asRoot)
    }

    /// Puts a line behind a line. The corresponding command of sed is `a`.
    static func add(_ text: String, behind line: String, of file: String, asRoot: Bool = false) -> String {
        edit(file, [address(line) + "a\\" + text.replacing("\\", with: "\\\\")], asRoot: asRoot)
    }

    /// Takes a line out of a file. The corresponding command of sed is `d`.
    static func remove(_ line: String, of file: String, asRoot: Bool = false) -> String {
        edit(file, [address(line) + "d"], asRoot: asRoot)
    }

    /// A line as a whole, as a basic regular expression (POSIX.1-2017, "Basic Regular Expressions").
    private static func address(_ line: String) -> String {
        var expression = ""
        for scalar in line.unicodeScalars {
            if #"\/.*[^$"#.unicodeScalars.contains(scalar) { expression += "\\" }
            expression.unicodeScalars.append(scalar)
        }
        return "/^\(expression)$/"
    }

    /// Makes comments of lines, from 1.
    static func commentOut(_ lines: [ClosedRange<Int>], of file: String, asRoot: Bool = false) -> String {
        edit(
            file,
            lines.map { $0.count == 1 ? "\($0.lowerBound)s/^/#/" : "\($0.lowerBound),\($0.upperBound)s/^/#/" },
            asRoot: asRoot)
    }

    private static func edit(_ file: String, _ scripts: [String], asRoot: Bool = false) -> String {
        let expressions = scripts.map { "-e \(word($0))" }.joined(separator: " ")
        return (asRoot ? "sudo " : "") + "sed -i --follow-symlinks \(expressions) \(word(file))"
    }
}
