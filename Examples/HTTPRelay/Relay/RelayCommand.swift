import ArgumentParser
import HTTPRelay
import IPC
import Programs

/// Fetches for programs without network access: they open `relay:` URLs, and get the server's response as the reply.
@main
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-relay", abstract: "Fetch over HTTP for programs without network access.",
        discussion: """
            Handles URLs such as 'relay:get?url=http://127.0.0.1:8080/&read-timeout=5' and 'relay:post?url=…'. The payload \
            of the URL is the body of the POST. The reply is the body of the server's answer. Redirects are reported \
            but not followed, because they may lead to a host that is not allowed.
            """)

    @Option(
        name: .customLong("allow"),
        help: "A host from which the relay may fetch, in addition to this machine; repeat for more.")
    var others: [String] = []

    @Option(help: "How many requests may be in progress at a time.")
    var window: UInt32 = 8

    func run() async throws {
        // After the first signal, the relay takes no new requests. The second one cancels the requests in progress.
        let signals = StopSignals()
        await Program.run {
            let app = try await Application.connect(
                id: "demo.HTTPRelay", schemes: [URLScheme(RelayedRequest.scheme)], window: window)
            let hosts = ["127.0.0.1", "::1", "localhost"] + others.map { $0.lowercased() }
            Program.tell("listening for \(RelayedRequest.scheme): URLs; fetches from \(hosts.joined(separator: ", "))")
            let fetcher = Fetcher(allowedHosts: hosts)
            try await app.onOpenURL(until: signals) { try await fetcher.reply(to: $0) }
            await app.close()
        }
    }
}
