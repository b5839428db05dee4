import ArgumentParser
import IPC
import IPCTools

struct SchemeExport: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "export", abstract: "Write what you configured about schemes as JSON, for 'scheme apply'.",
        discussion: """
            The file has the stored claims, with the commands of 'scheme register --exec' and 'handle', the defaults \
            that you chose, and the policies. It does not have the claims of running programs, those of a package's \
            files, and those of --transient. The same settings always make the same file, so that you can keep it with \
            your other settings. docs/tools.md describes the format.

            EXAMPLES
              ipc-client scheme export
              ipc-client scheme export --output ~/.config/swift-ipc-schemes.json
              ipc-client scheme export | jq -r '.claims[].scheme'
            """)

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp("Write to this file, which is replaced when it is complete.", valueName: "path"),
        completion: .file())
    var path: String?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try await SchemeSettings.current(try await broker.connect())
        let text = output.document(settings.json)
        guard let path, path != "-" else { return try OutputStream.output.write(text) }
        var file = try ContentOutput.file(path)
        try file.write(.text(text))
    }
}
