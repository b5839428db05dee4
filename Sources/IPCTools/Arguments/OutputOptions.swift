package import ArgumentParser
package import IPCModel

/// The options of every command that concern its output.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON, one object a line; errors too, on standard error.")
    package var json = false

    @Option(help: ArgumentHelp("When to use colour; auto: on a terminal.", valueName: "when"))
    package var color: ColorChoice = .auto

    package init() {}

    /// As on a line without any of them.
    package static var unstated: OutputOptions {
        var options = OutputOptions()
        (options.json, options.color) = (false, .auto)
        return options
    }
}

extension OutputOptions {
    /// Writes one JSON object, or text for people, as a line to standard output; for people nothing where there is no text. An
    /// empty text is a line.
    package func print(_ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String?) throws(ToolFailure) {
        if json {
            try OutputStream.output.writeLine(value().text)
        } else if let text = text() {
            try OutputStream.output.writeLine(text)
        }
    }

    /// Tells of something that is no error, on standard error.
    /// - Parameters:
    ///   - name: a word for programs.
    ///   - message: a sentence without a full stop.
    ///   - id: the request that it is about.
    package func warn(_ name: String, _ message: String, id: String? = nil) throws(ToolFailure) {
        try tell(name, message, after: "warning: ", id: id)
    }

    /// Tells that the bus is away, for a program that goes on when it is back.
    package func tellBusLost() {
        try? warn("StoreUnavailable", "the connection to the message bus was lost; waiting for it")
    }

    /// Tells of something that is no reason to warn people, on standard error: a sentence behind a prefix, or the same
    /// object as of a warning.
    package func tell(
        _ name: String, _ message: String, after prefix: String = "", id: String? = nil
    ) throws(ToolFailure) {
        let message = message.withToolAdvice
        guard json else { return try OutputStream.error.writeLine(prefix + message.onOneLine) }
        try OutputStream.error.writeLine(
            JSONValue.object(["warning": .string(name), "message": .string(message), "id": id.map { .string($0) }])
                .text)
    }

    /// The style of what goes to standard output.
    package var style: Style { Style(color, for: .output) }
}
