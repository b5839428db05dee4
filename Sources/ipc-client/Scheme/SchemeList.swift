import ArgumentParser
import IPC
import IPCTools

struct SchemeList: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "list", abstract: "List the applications that claim a URL scheme, or all schemes.",
        discussion: """
            Columns: scheme, application, kind of the claim (live, persistent or installed), its rank ("handler" if \
            the application gets the URLs, "default" if you chose it), running, activatable. In a pipe, tabs separate \
            the columns, and there are no headings.

            EXAMPLES
              ipc-client scheme list
              ipc-client scheme list IPCServer.demo
              ipc-client scheme list --json | jq -r 'select(.handler) | .application'
            """)

    @Argument(help: "The URL scheme. (default: all schemes)", completion: LiveNames.schemes)
    var scheme: String?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await broker.connect()
        let handlers =
            if let scheme { try await app.handlers(of: URLScheme(scheme)) } else { try await app.handlers().all() }
        guard !handlers.isEmpty else { return try await tellNone() }
        try output.printRows(handlers.map(JSONValue.handler)) { isAligned in
            var table = Table("SCHEME", "APPLICATION", "KIND", "RANK", "RUNNING", "ACTIVATABLE")
            for handler in handlers {
                let rank = handler.isDefault ? "default" : handler.isHandler ? "handler" : ""
                table.add(
                    handler.scheme.text, handler.application, handler.kind, rank, yesOrNo(handler.isRunning),
                    yesOrNo(handler.isActivatable))
            }
            return table.text(aligned: isAligned, style: output.style)
        }
    }

    @DBusActor
    private func tellNone() async throws {
        guard let scheme else { return try output.tell("NoHandler", "no application has registered a scheme") }
        try output.tell(
            "NoHandler",
            "no application has registered \(scheme.quoted); 'ipc-client scheme resolve \(scheme):' shows whether the "
                + "desktop has a handler for it" + (await StatedName.scheme(scheme).clause()))
    }
}
