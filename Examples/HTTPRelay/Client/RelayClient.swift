import ArgumentParser
import Foundation
import HTTPRelay
import IPC
import Programs

/// A program that needs no network access: it sends its requests to the relay, and connects only to the broker.
@main
struct RelayClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay-client", abstract: "Send requests to a server through the relay.",
        subcommands: [Status.self, Report.self, Download.self])

    /// Gets the server's status.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Get the server's status (GET).")
        @OptionGroup var options: RequestOptions

        func run() async {
            RelayClient.print(await options.answer { StatusRequest(parameters: $0) }.fields)
        }
    }

    /// Sends a report to the server.
    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Send a report to the server (POST, or GET).")
        @OptionGroup var options: RequestOptions
        @Argument(help: "The text of the report.") var text: String
        @Flag(help: "Send the report in the URL (GET).") var get = false

        func run() async {
            let receipt = await options.answer {
                ReportRequest(parameters: $0, method: get ? .get : .post, text: text)
            }
            RelayClient.print([
                FormField("device", receipt.device), FormField("sent at", "\(receipt.dateTime) UTC"),
                FormField("received", "\(receipt.characterCount) characters, \(receipt.method)"),
            ])
        }
    }

    /// Downloads the content of any URL.
    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Download any URL, byte for byte (GET).")
        @OptionGroup var options: RequestOptions

        func run() async {
            FileHandle.standardOutput.write(Data(await options.answer { DownloadRequest(parameters: $0) }))
        }
    }

    /// Prints one line per field. A server may send anything, so no value can add a line or control the terminal.
    private static func print(_ fields: [FormField]) {
        let lines = fields.map { Program.printable("\($0.name): \($0.value)") + "\n" }
        FileHandle.standardOutput.write(Data(lines.joined().utf8))
    }
}
