private import IPCModel

/// The command line as raw bytes, before Swift replaces invalid UTF-8.
package enum ArgumentVector {
    /// The arguments of this process, without the program's name.
    /// - Throws: ``ToolFailure`` with exit code 65 if an argument is not UTF-8.
    package static func checked() throws(ToolFailure) -> [String] {
        var arguments: [String] = []
        for place in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[place] else { break }
            guard let argument = String(validatingCString: bytes) else {
                throw ToolFailure(
                    name: "InvalidArguments",
                    message: "argument \(place) is not UTF-8; pass such bytes through standard input or --file",
                    exit: .dataError)
            }
            arguments.append(argument)
        }
        return arguments
    }

    /// Whether an option is on the command line (before any “--”), even if the command line is not valid.
    package static func contains(_ option: String, in arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains(option)
    }

    /// The first word that has one dash before several letters; nil if the command line asks for help. ArgumentParser
    /// reads such a word as several one-letter options, and an “h” among them as a request for help.
    static func dashedWord(in arguments: [String]) -> String? {
        let options = arguments.prefix { $0 != "--" }
        guard !["-h", "--help", "help"].contains(where: options.contains) else { return nil }
        return options.first { $0.utf8.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }
    }

    /// The value of an option: the next word, or the text after “=”; nil if there is none.
    package static func value(of option: String, in arguments: [String]) -> String? {
        let options = arguments.prefix { $0 != "--" }
        for (place, argument) in options.enumerated().reversed() {
            if argument == option { return options.dropFirst(place + 1).first }
            if argument.hasPrefix(option + "=") { return String(argument.dropFirst(option.count + 1)) }
        }
        return nil
    }
}
