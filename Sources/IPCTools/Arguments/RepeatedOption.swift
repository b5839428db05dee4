internal import ArgumentParser
private import IPCModel

/// Finds an option that is given twice, but has only one value. ArgumentParser would ignore the first one silently.
enum RepeatedOption {
    /// - Throws: ``ToolFailure`` with exit code 64 if there is such an option before any “--”.
    static func refuse(in arguments: [String], of tool: any ParsableCommand.Type) throws(ToolFailure) {
        let named = NamedCommand(arguments, of: tool)
        let words = Array(arguments.dropFirst(named.depth).prefix { $0 != "--" })
        // Asking the parser for its options takes longer than parsing, and few command lines repeat a name.
        let stated = words.filter { $0.hasPrefix("--") }.map(name(of:))
        guard Set(stated).count < stated.count, let options = options(of: named.command) else { return }
        var (seen, place) = (Set<String>(), 0)
        while place < words.count {
            let (word, name) = (words[place], name(of: words[place]))
            place += 1
            guard let isRepeating = options[name] else { continue }
            guard isRepeating || seen.insert(name).inserted else {
                throw .usage("\(name) is given twice, but has only one value; give it once")
            }
            // The next word is the value.
            if word == name { place += 1 }
        }
    }

    /// The name of an option, without a value after “=”.
    private static func name(of word: String) -> String { String(word.prefix { $0 != "=" }) }

    /// For each long name of an option with a value, whether the option may be repeated; nil if the parser does not tell.
    private static func options(of command: any ParsableCommand.Type) -> [String: Bool]? {
        guard let description = try? JSONValue(parsing: command._dumpHelp()) else { return nil }
        var options: [String: Bool] = [:]
        for argument in description["command"]?["arguments"]?.array ?? []
        where argument["kind"]?.string == "option" {
            for name in argument["names"]?.array ?? [] where name["kind"]?.string == "long" {
                options["--" + (name["name"]?.string ?? "")] = argument["isRepeating"]?.boolean ?? false
            }
        }
        return options
    }
}
