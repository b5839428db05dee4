private import IPC
package import IPCModel

/// The reason why a tool fails.
package struct ToolFailure: Error, Hashable {
    /// A word for programs: the name of a D-Bus error without its prefix, or `Usage`, `NoSuchFile`.
    package let name: String
    /// A sentence with the next step, without a full stop; empty if the reader of the output has ended.
    package let message: String
    package let exit: IPCModel.ExitCode

    package init(name: String, message: String, exit: IPCModel.ExitCode) {
        self.name = name
        self.message = message
        self.exit = exit
    }

    /// Creates the failure for an error of the library or the broker.
    package init(_ error: IPCError) {
        self.init(name: error.code.rawValue, message: error.message.withToolAdvice, exit: error.exit)
    }

    /// Returns the same failure with a clause after its sentence.
    package func adding(_ words: String) -> ToolFailure {
        ToolFailure(name: name, message: "\(message); \(words)", exit: exit)
    }

    package static func usage(_ message: String) -> ToolFailure {
        ToolFailure(name: "Usage", message: message, exit: .usage)
    }

    /// A reserved scheme, for a command that cannot claim it.
    package static func reserved(_ schemes: [String]) -> ToolFailure {
        let reserved = schemes.filter { (try? URLScheme($0))?.isReserved ?? false }
        let all = (reserved.isEmpty ? schemes : reserved).joined(separator: ", ")
        return ToolFailure(
            name: "ReservedScheme",
            message: "cannot claim \(all) here: such a scheme is reserved for the system; choose another scheme",
            exit: .notPermitted)
    }

    /// The line for standard error: `ipc-client: sentence`, or one JSON object.
    package func line(program: String, json: Bool, style: Style) -> String {
        guard json else { return style.red("\(program):") + " " + message.onOneLine }
        return JSONValue.object([
            "error": .string(name), "message": .string(message), "exit-code": .number(exit.rawValue),
        ]).text
    }
}

extension String {
    /// The text of another program, for a sentence or a table: on one line, and only the start and the end of a long
    /// text. The end gets more room, because a failing program states the error last, as in a traceback.
    package var asTold: String {
        let scalars = unicodeScalars
        guard scalars.dropFirst(Self.startTold + Self.endTold).first != nil else { return onOneLine }
        let end = scalars.suffix(Self.endTold).drop { $0 == " " }
        return String(scalars.prefix(Self.startTold)).onOneLine + " … " + String(end).onOneLine
    }

    /// The counts of characters of the start and of the end of a long text.
    private static let (startTold, endTold) = (80, 220)
}
