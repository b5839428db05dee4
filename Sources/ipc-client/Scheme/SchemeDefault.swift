import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct SchemeDefault: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "default", abstract: "Show or choose the application that handles a URL scheme.",
        discussion: """
            Without an application, prints the one that handles the scheme now. If there is none, the exit code is 68. \
            With an application, stores your choice, which applies whenever that application claims the scheme.

            EXAMPLES
              ipc-client scheme default IPCServer.demo
              ipc-client scheme default IPCServer.demo com.example.Notes
              ipc-client scheme default --forget IPCServer.demo
            """)

    @Argument(help: "The URL scheme.", completion: LiveNames.schemes)
    var scheme: String

    @Argument(
        help: ArgumentHelp("The application to choose.", valueName: "application"),
        completion: LiveNames.applications)
    var application: String?

    @Flag(help: "Forget the choice.")
    var forget = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.scheme(scheme)] }

    func validate() throws {
        guard !forget || application == nil else {
            throw ValidationError("Give either an application or --forget, not both.")
        }
    }

    func run() async throws {
        let app = try await broker.connect()
        let checked = try URLScheme(scheme)
        if application != nil || forget {
            try await app.setDefault(application.map(ApplicationID.init(_:)), for: checked)
        }
        let handler = try await app.handlers(of: checked).first(where: \.isHandler)
        if handler == nil && application == nil && !forget {
            throw ToolFailure(
                name: "NoHandler",
                message: "no application handles the scheme \(scheme.quoted); start one, or see "
                    + "'ipc-client scheme list'",
                exit: .noHandler)
        }
        if let application, try await app.handlers(of: checked).allSatisfy({ !$0.isDefault }) {
            try await output.warnOfAbsent(application, for: scheme)
        }
        let isQuiet = application != nil || forget
        try output.print(
            .object([
                "scheme": .string(scheme), "application": handler.map { .string($0.application) },
                "default": .boolean(handler?.isDefault ?? false),
            ]), text: isQuiet ? nil : handler?.application)
    }
}

extension OutputOptions {
    @DBusActor
    func warnOfAbsent(_ application: String, for scheme: String) async throws(ToolFailure) {
        try warn(
            "AbsentDefault",
            "you chose \(application), which does not claim \(scheme.quoted) at present; the choice applies once it does; "
                + "'ipc-client scheme default --forget \(scheme)' removes the choice"
                + (await StatedName.application(application).clause()))
    }
}
