public import ArgumentParser
internal import Foundation
public import Hummingbird
internal import Logging
internal import NIOCore

/// The options of a server that answers only on this machine, for trying the examples.
public struct LocalServer: ParsableArguments, Sendable {
    @Option(help: "The port; 0 chooses a free one, which the first line of output shows.")
    var port = 0

    public init() {}

    /// Prints the address, and answers requests on it until a signal ends the process.
    public func run(_ router: Router<BasicRequestContext>) async throws {
        var logger = Logger(label: "LocalServer")
        logger.logLevel = .error
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let line = "listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            }, logger: logger)
        try await server.runService()
    }
}
