import IPCDesktop

/// The `ipc-broker.conf` in its default place.
struct ConfigurationFacts: Sendable {
    /// The path, even if there is no such file; empty if there is no home folder.
    var path = ""
    /// The lines of the file, valid or not.
    var file = KeyFile()
    /// The first mistake in the file; nil if the file is valid.
    var mistake: ConfigurationFile.Invalid?
    /// The value of `directory` in `[Store]`; nil if the file does not set it.
    var store: String?

    static func read(_ variables: [String: String]) -> ConfigurationFacts {
        var facts = ConfigurationFacts()
        guard let path = ConfigurationFile.usualPath(variables) else { return facts }
        facts.path = path
        facts.file = KeyFile(bytes: FilePlace.bytes(of: path) ?? [])
        do throws(ConfigurationFile.Invalid) { facts.store = try ConfigurationFile(path: path).store } catch {
            facts.mistake = error.isMissing ? nil : error
        }
        return facts
    }

    /// The lines with the mistake, as a sed address: one line, or a group with its keys; nil if the file is not text.
    var mistakenLines: String? {
        guard let line = mistake?.line else { return nil }
        let headers = file.groups.map(\.line)
        guard headers.contains(line) else { return "\(line)" }
        return "\(line)," + (headers.first { $0 > line }.map { "\($0 - 1)" } ?? "$")
    }

    /// The command that sets a limit in the file.
    func command(setting limit: String, to value: UInt64) -> String {
        let entry = "\(limit)=\(value)"
        guard file["Limits"] == nil else {
            return ShellLine.edit(path, "/^[[:blank:]]*\(limit)[[:blank:]]*=/d", #"/^[[:blank:]]*\[Limits]/a"# + entry)
        }
        return ShellLine.all(
            ShellLine.command("mkdir", "-p", "--", FilePlace.directory(of: path)),
            "printf '\\n[Limits]\\n%s\\n' \(entry) >>\(ShellLine.word(path))")
    }
}
