package import ArgumentParser
package import IPCModel

/// How `--json` writes its objects.
package enum JSONForm: String, Sendable, CaseIterable, EnumerableFlag {
    /// One object per line.
    case short
    /// Each member and element on its own line, indented.
    case pretty

    package static func name(for form: JSONForm) -> NameSpecification {
        .customLong(form.flag)
    }

    package static func help(for form: JSONForm) -> ArgumentHelp? {
        switch form {
        case .short:
            """
            Print JSON, one object per line, or indented with --json=pretty. Errors on standard error are JSON too.
            """
        // Users write --json=pretty, which ``flags(in:)`` turns into this flag.
        case .pretty: .hidden
        }
    }

    /// The name of the flag, without its dashes.
    private var flag: String {
        switch self {
        case .short: "json"
        case .pretty: "json-pretty"
        }
    }

    /// Replaces `--json=FORM` by the flag of that form, because an option of ArgumentParser either never has a value, or
    /// takes the word after it as its value: it would read “hello” in `send --json hello` as the form.
    /// - Throws: ``ToolFailure`` with exit code 64 if there is no such form.
    static func flags(in arguments: [String]) throws(ToolFailure) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return try arguments.enumerated().map { (place, argument) throws(ToolFailure) in
            guard place < end, argument.hasPrefix("--json=") else { return argument }
            let word = String(argument.dropFirst("--json=".count))
            guard let form = JSONForm(rawValue: word) else {
                throw .usage("there is no form \(word.quoted) of JSON; give --json, --json=short or --json=pretty")
            }
            return "--" + form.flag
        }
    }

    /// A text of ArgumentParser in which each flag is spelled as users write it.
    static func spelled(_ text: String) -> String {
        text.replacing("--" + pretty.flag, with: "--json=" + pretty.rawValue)
    }

    /// The form that a command line asks for, even if it is not valid; nil if it does not ask for JSON.
    static func stated(in arguments: [String]) -> JSONForm? {
        allCases.last { ArgumentVector.contains("--" + $0.flag, in: arguments) }
    }
}

extension JSONValue {
    package func text(_ form: JSONForm) -> String {
        switch form {
        case .short: text
        case .pretty: indentedText
        }
    }
}
