package import ArgumentParser
package import IPCModel

/// What follows each record of the output.
package enum RecordEnd: String, Sendable {
    case newline = "\n"
    case null = "\0"
}

/// The output options that all commands share.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(exclusivity: .chooseLast)
    var form: JSONForm?

    @Option(help: ArgumentHelp("When to use colour. With auto, only on a terminal.", valueName: "when"))
    package var color: ColorChoice = .auto

    package init() {}

    /// The default options, for commands that are created without the parser.
    package static var unstated: OutputOptions {
        var options = OutputOptions()
        (options.form, options.color) = (nil, .auto)
        return options
    }

    /// Whether the output is JSON.
    package var json: Bool { form != nil }

    /// Writes JSON to standard output, in the form that `--json` names.
    package func write(_ value: JSONValue, end: RecordEnd = .newline) throws(ToolFailure) {
        try OutputStream.output.write(value.text(form ?? .short) + end.rawValue)
    }

    /// A JSON text that is a file for a person to read: indented, unless `--json` names another form.
    package func document(_ value: JSONValue) -> String { value.text(form ?? .pretty) + "\n" }

    /// Writes a record to standard output: a JSON object with `--json`, otherwise the text, if there is any.
    package func print(
        _ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String?, end: RecordEnd = .newline
    ) throws(ToolFailure) {
        if json {
            try write(value(), end: end)
        } else if let text = text() {
            try OutputStream.output.write(text + end.rawValue)
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
        guard let form else { return try OutputStream.error.writeLine(prefix + message.onOneLine) }
        try OutputStream.error.writeLine(
            JSONValue.object(["warning": .string(name), "message": .string(message), "id": id.map { .string($0) }])
                .text(form))
    }

    package var style: Style { Style(color, for: .output) }
}
