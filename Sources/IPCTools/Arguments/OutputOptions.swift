package import ArgumentParser
package import IPCModel

/// The options of every command for its output.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON, one object a line; errors too, on standard error.")
    package var json = false

    @Option(help: ArgumentHelp("When to use colour; auto: on a terminal.", valueName: "when"))
    package var color: ColorChoice = .auto

    package init() {}

    /// The options of a command line without any of them.
    package static var unstated: OutputOptions {
        var options = OutputOptions()
        (options.json, options.color) = (false, .auto)
        return options
    }

    /// Writes one JSON object, or a text for people, as a line to standard output. Without a text people get no line.
    package func print(_ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String?) throws(ToolFailure) {
        if json {
            try OutputStream.output.writeLine(value().text)
        } else if let text = text() {
            try OutputStream.output.writeLine(text)
        }
    }

    /// Warns on standard error.
    /// - Parameters:
    ///   - name: a word for programs.
    ///   - message: a sentence without a full stop.
    ///   - id: the id of a request.
    package func warn(_ name: String, _ message: String, id: String? = nil) throws(ToolFailure) {
        try tell(name, message, after: "warning: ", id: id)
    }

    /// Warns that the bus is absent, in a program that waits for it.
    package func tellBusLost() {
        try? warn("StoreUnavailable", "the connection to the message bus was lost; waiting for it")
    }

    /// Reports an event on standard error: for people a sentence behind a prefix, for programs the object of a warning.
    package func tell(
        _ name: String, _ message: String, after prefix: String = "", id: String? = nil
    ) throws(ToolFailure) {
        let message = message.withToolAdvice
        guard json else { return try OutputStream.error.writeLine(prefix + message.onOneLine) }
        try OutputStream.error.writeLine(
            JSONValue.object(["warning": .string(name), "message": .string(message), "id": id.map { .string($0) }])
                .text)
    }

    package var style: Style { Style(color, for: .output) }
}
