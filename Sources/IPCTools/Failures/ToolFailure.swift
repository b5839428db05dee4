private import IPC
package import IPCModel

/// Why a tool ends with something else than what was asked for.
package struct ToolFailure: Error, Hashable {
    /// A word for programs: the name of a D-Bus error without its prefix, or `Usage`, `NoSuchFile`.
    package let name: String
    /// A sentence that says what to do next, without a full stop; empty where nobody is left to tell.
    package let message: String
    /// The exit code.
    package let exit: IPCModel.ExitCode

    package init(name: String, message: String, exit: IPCModel.ExitCode) {
        self.name = name
        self.message = message
        self.exit = exit
    }

    /// A refusal of the library or the broker.
    package init(_ error: IPCError) {
        self.init(name: error.code.rawValue, message: error.message, exit: error.code.exit)
    }

    /// The same failure with a half sentence behind what it says.
    package func adding(_ words: String) -> ToolFailure {
        ToolFailure(name: name, message: "\(message); \(words)", exit: exit)
    }

    /// A command line that means nothing.
    package static func usage(_ message: String) -> ToolFailure {
        ToolFailure(name: "Usage", message: message, exit: .usage)
    }

    /// What is written to standard error: `ipc-client: sentence`, or one JSON object.
    package func line(program: String, json: Bool, style: Style) -> String {
        guard json else { return style.red("\(program):") + " " + message.printable }
        return JSONValue.object([
            "error": .string(name), "message": .string(message), "exit-code": .number(exit.rawValue),
        ]).text
    }
}

extension String {
    /// The text with controls written out: messages quote what anybody sent, and go to terminals.
    package var printable: String {
        guard unicodeScalars.contains(where: { $0.breaksLines && $0 != "\n" }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            text += scalar.breaksLines && scalar != "\n" ? scalar.escaped : String(scalar)
        }
        return text
    }
}
