private import IPC
package import IPCModel

/// The failure of a tool: the reason and the exit code.
package struct ToolFailure: Error, Hashable {
    /// A name that programs can check: a D-Bus error name without its prefix, or another name, such as `Usage`.
    package let name: String
    /// The error message, without a full stop; empty if the output is closed or the failure was already reported.
    package let message: String
    package let exit: IPCModel.ExitCode

    package init(name: String, message: String, exit: IPCModel.ExitCode) {
        self.name = name
        self.message = message
        self.exit = exit
    }

    package init(_ error: IPCError) {
        self.init(name: error.code.rawValue, message: error.message.withToolAdvice, exit: error.exit)
    }

    /// The failure that ends the tool because of an error; nil for an error in the command line.
    package init?(any error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let condition as any Condition: self.init(condition.ipcError)
        default: return nil
        }
    }

    /// Returns the same failure with a clause appended to its message.
    package func adding(_ words: String) -> ToolFailure {
        ToolFailure(name: name, message: "\(message); \(words)", exit: exit)
    }

    package static func usage(_ message: String) -> ToolFailure {
        ToolFailure(name: "Usage", message: message, exit: .usage)
    }

    /// The failure of a command that tries to claim reserved schemes, and has no option that allows it.
    package static func reserved(_ schemes: [String]) -> ToolFailure {
        let reserved = schemes.filter { (try? URLScheme($0))?.isReserved ?? false }
        let all = (reserved.isEmpty ? schemes : reserved).joined(separator: ", ")
        return ToolFailure(
            name: "ReservedScheme",
            message: "cannot claim \(all) here: such a scheme is reserved for the system; choose another scheme",
            exit: .notPermitted)
    }

    /// The line for standard error: `ipc-client: message`, or a JSON object.
    package func line(program: String, json form: JSONForm?, style: Style) -> String {
        guard let form else { return style.red("\(program):") + " " + message.onOneLine }
        return JSONValue.object([
            "error": .string(name), "message": .string(message), "exit-code": .number(exit.rawValue),
        ]).text(form)
    }
}

extension String {
    /// Another program's text on one line, for a message or a table. Long text is cut to its start and a longer part of
    /// its end, because failing programs usually print the error last, as in a traceback.
    package var asTold: String {
        let scalars = unicodeScalars
        guard scalars.dropFirst(Self.startTold + Self.endTold).first != nil else { return onOneLine }
        let end = scalars.suffix(Self.endTold).drop { $0 == " " }
        return String(scalars.prefix(Self.startTold)).onOneLine + " … " + String(end).onOneLine
    }

    /// How many characters are kept at the start and at the end of a long text.
    private static let (startTold, endTold) = (80, 220)
}
