package import ArgumentParser
package import IPCModel

/// The output options that all commands share.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON, one object per line. Errors on standard error are JSON too.")
    package var json = false

    @Option(help: ArgumentHelp("When to use colour. With auto, only on a terminal.", valueName: "when"))
    package var color: ColorChoice = .auto

    package init() {}

    /// The default options, for commands that are created without the parser.
    package static var unstated: OutputOptions {
        var options = OutputOptions()
        (options.json, options.color) = (false, .auto)
        return options
    }

    /// Writes a line to standard output: a JSON object with `--json`, otherwise the text, if there is any.
    package func print(_ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String?) throws(ToolFailure) {
        if json {
            try OutputStream.output.writeLine(value().text)
        } else if let text = text() {
            try OutputStream.output.writeLine(text)
        }
    }

    /// Prints a warning on standard error. Programs recognize it by `name`. The message has no full stop, and `id` is
    /// the id of the request that the warning is about.
    package func warn(_ name: String, _ message: String, id: String? = nil) throws(ToolFailure) {
        try tell(name, message, after: "warning: ", id: id)
    }

    package func tellBusLost() {
        try? warn(IPCError.Code.noBus.rawValue, "the connection to the message bus was lost; waiting for the bus")
    }

    /// Reports an event on standard error: as a message after a prefix, or with `--json` as a warning object.
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
