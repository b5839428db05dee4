/// `ipc-broker.conf`: the broker does not start with a mistake in it.
struct ConfigurationCheck: Check {
    static let name = "configuration"
    static let words = ["configuration-wrong", "configuration-unreadable"]

    func findings(in facts: Facts) -> [Finding] {
        let configuration = facts.configuration
        if let reason = configuration.unreadable {
            return [
                .problem(
                    Self.words[1], "the broker cannot read \(configuration.path): \(reason)",
                    mend: ShellLine.command("mv", "--", configuration.path, configuration.path + ".unreadable"))
            ]
        }
        guard let first = configuration.mistakes.first else { return [] }
        let count = configuration.mistakes.count
        let others = count > 1 ? "; and \(count - 1) more" : ""
        return [
            .problem(
                Self.words[0],
                "the broker does not start with \(configuration.path):\(first.lines.lowerBound): \(first.reason)\(others)",
                mend: ShellLine.commentOut(
                    configuration.mistakes.map(\.lines), of: configuration.path, asRoot: !configuration.isWritable))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        let path = facts.configuration.path
        return facts.configuration.lines == nil ? "there is no \(path), and none is needed" : "\(path) is right"
    }
}

extension ConfigurationFacts {
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
