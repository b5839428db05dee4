import IPCDesktop

/// `ipc-broker.conf` in its usual place.
struct ConfigurationFacts: Sendable {
    /// Where it is, or would be; empty where there is no place for it.
    var path = ""
    /// Its lines; nil where there is no file.
    var lines: [String]?
    /// What the broker does not take.
    var mistakes: [Mistake] = []
    /// Why it cannot be read at all; nil where it can.
    var unreadable: String?
    /// `directory` of `[Store]`.
    var store: String?
    var isWritable = true

    /// A line, or a group with all that is in it.
    struct Mistake: Sendable, Hashable {
        /// From 1.
        var lines: ClosedRange<Int>
        var reason: String
    }
}

extension Facts {
    /// Reads `ipc-broker.conf` in its usual place.
    mutating func readConfiguration() {
        guard let path = ConfigurationFile.usualPath(variables) else { return }
        configuration.path = path
        let file = FileFacts.read(path)
        guard file.isThere else { return }
        configuration.isWritable = file.isWritable
        guard let bytes = FilePlace.bytes(of: path), let text = String(validating: bytes, as: UTF8.self) else {
            // What it says of itself is what the broker would say.
            do throws(ConfigurationFile.Invalid) { _ = try ConfigurationFile(path: path) } catch {
                configuration.unreadable = error.reason
            }
            return
        }
        configuration.take(text)
    }
}

extension ConfigurationFacts {
    /// Takes the text of the file, with all mistakes in it.
    mutating func take(_ text: String) {
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines = rest
        // Each mistake is made a comment, and the rest is read again: the broker tells one at a time.
        while true {
            do throws(ConfigurationFile.Invalid) {
                store = try ConfigurationFile(rest.joined(separator: "\n"), path: path).store
                return
            } catch {
                guard let first = error.line, first <= rest.count else {
                    unreadable = error.reason
                    return
                }
                let last = rest[first - 1].trimmed.hasPrefix("[") ? Self.end(ofGroupIn: first, rest) : first
                mistakes.append(Mistake(lines: first...last, reason: error.reason))
                for line in first...last { rest[line - 1] = "#" + rest[line - 1] }
            }
        }
    }

    /// The last line of a group, from 1.
    private static func end(ofGroupIn header: Int, _ lines: [String]) -> Int {
        lines[header...].firstIndex { $0.trimmed.hasPrefix("[") } ?? lines.count
    }

    /// The line of shell that sets a limit in the file, whatever it says now.
    func line(setting limit: String, to value: UInt64) -> String {
        let entry = "\(limit)=\(value)"
        var group = ""
        var groupLine: String?
        for line in lines ?? [] {
            let text = line.trimmed
            if text.hasPrefix("[") {
                group = text
                if group == "[Limits]" { groupLine = line }
            } else if group == "[Limits]", text.prefix(while: { $0 != "=" }).trimmed == limit {
                return ShellLine.replace(line, of: path, with: entry, asRoot: !isWritable)
            }
        }
        if let groupLine { return ShellLine.add(entry, behind: groupLine, of: path, asRoot: !isWritable) }
        return ShellLine.all(
            ShellLine.command("mkdir", "-p", "--", FilePlace.directory(of: path)),
            "printf '\\n[Limits]\\n%s\\n' \(ShellLine.word(entry)) >>\(ShellLine.word(path))")
    }
}

extension StringProtocol {
    /// Without blanks and tabs at both ends.
    var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
