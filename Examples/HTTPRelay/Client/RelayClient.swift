import ArgumentParser
import Foundation
import HTTPRelay
import IPC
import Programs

/// A program that needs no network access: it asks the relay, and talks only to the broker.
@main
struct RelayClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay-client", abstract: "Send requests to a server through the relay.",
        subcommands: [Status.self, Report.self, Download.self])

    /// Gets the server's status.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Get the server's status (GET).")
        @OptionGroup var options: RequestOptions
        @Option(help: "How to wait for the answer: \(WaitingStyle.allValueStrings.joined(separator: ", ")).")
        var style = WaitingStyle.asynchronous

        func run() async throws {
            await options.ask { relay in
                Output.print(try await style.send(StatusRequest(parameters: options.parameters), relay))
            }
        }
    }

    /// Sends a report to the server.
    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Send a report to the server (POST).")
        @OptionGroup var options: RequestOptions
        @Argument(help: "The text of the report.") var text: String
        @Option(help: "How to wait for the answer: \(WaitingStyle.allValueStrings.joined(separator: ", ")).")
        var style = WaitingStyle.asynchronous

        func run() async throws {
            await options.ask { relay in
                let request = ReportRequest(parameters: options.parameters, text: text)
                Output.print(try await style.send(request, relay))
            }
        }
    }

    /// Downloads the content of any URL.
    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Download any URL, byte for byte (GET).")
        @OptionGroup var options: RequestOptions

        func run() async throws {
            await options.ask { relay in
                let bytes = try await relay.send(DownloadRequest(parameters: options.parameters))
                FileHandle.standardOutput.write(Data(bytes))
            }
        }
    }
}

/// The command-line options that all requests share.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The server's URL.") var url: String
    @Option(help: "The id of this device, which the server receives.") var device = "demo-device"
    @Option(help: "How long the server may take to accept the connection, in seconds.") var connectTimeout = 60.0
    @Option(help: "How long the server may be silent after that, in seconds.") var readTimeout = 60.0

    var parameters: RequestParameters {
        RequestParameters(
            deviceID: device, serverURL: url, connectTimeout: .seconds(connectTimeout),
            readTimeout: .seconds(readTimeout))
    }

    func validate() throws {
        for time in [connectTimeout, readTimeout] where !(time > 0 && time <= 3_600) {
            throw ValidationError("A time-out must be more than 0 and at most 3600 seconds.")
        }
    }

    /// Connects and runs `body`; an error ends the process with an error message and an exit code.
    func ask(_ body: (Relay) async throws -> Void) async {
        await Program.run {
            let app = try await Application.connect(id: "demo.RelayClient")
            try await body(Relay(app))
            await app.close()
        }
    }
}

/// What the program prints.
enum Output {
    /// Prints an answer, one line per field.
    static func print(_ form: EndedForm) {
        let lines = form.fields.map { "\($0.name): \($0.value)\n" }.joined()
        FileHandle.standardOutput.write(Data(lines.utf8))
    }
}
