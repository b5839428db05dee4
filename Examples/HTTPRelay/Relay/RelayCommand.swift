import ArgumentParser
import Foundation
import HTTPRelay
import IPC
import UnixSignals

/// Fetches for programs that have no network: they ask by `relay:` URLs, and get what the server said as the reply.
@main
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-relay",
        abstract: "Fetch over HTTP for programs that may not.",
        discussion: """
            Handles URLs such as 'relay:get?url=http://127.0.0.1:8080/&read-timeout=5' and 'relay:post?url=…', whose body is \
            the content that is sent with the URL. The reply is the body of the server's answer. Redirects are told and not \
            followed, since they may lead to a host that is not allowed.
            """)

    @Option(name: .customLong("allow"), help: "A host that may be asked; once for each. (default: this machine alone)")
    var hosts = ["127.0.0.1", "::1", "localhost"]

    @Option(help: "How many requests may be on their way at a time.")
    var window: UInt32 = 8

    func run() async throws {
        do {
            let app = try await Application.connect(
                id: "demo.HTTPRelay", schemes: [RelayedRequest.scheme], window: window)
            say("listening for \(RelayedRequest.scheme): URLs; fetches from \(hosts.joined(separator: ", "))")
            try await serve(app)
            await app.close()
        } catch let error as IPCError {
            say(error.message)
            throw ExitCode(error.code.exitCode)
        }
    }

    /// Answers until the first SIGINT or SIGTERM, and then what is in hand; the second one gives up what is in hand.
    private func serve(_ app: Application) async throws {
        let fetcher = Fetcher(allowedHosts: hosts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var signals = await UnixSignalsSequence(trapping: .sigint, .sigterm).makeAsyncIterator()
                guard await signals.next() != nil else { return }
                try await app.stopReceiving()
                _ = await signals.next()
            }
            group.addTask { try await app.onOpenURL { try await fetcher.reply(to: $0) } }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    private func say(_ line: String) { FileHandle.standardError.write(Data("http-relay: \(line)\n".utf8)) }
}
