import ArgumentParser
import HTTPRelay
import IPC
import Programs

/// The command-line options that all requests share.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The server's URL.") var url: String
    @Option(
        help: """
            The id of this device, which the server receives. (default: the id of this installation if a program answers \
            “installid:” URLs, or \(Self.usualDevice))
            """)
    var device: String?
    @Option(help: "How to wait for the answer: \(WaitingStyle.allValueStrings.joined(separator: ", ")).")
    var style = WaitingStyle.asynchronous
    @Option(help: "How long the server may take to accept the connection, in seconds.") var connectTimeout = 60.0
    @Option(help: "How long the server may be silent after that, in seconds.") var readTimeout = 60.0

    private static let usualDevice = "demo-device"

    func validate() throws {
        for time in [connectTimeout, readTimeout] where !(time > 0 && time <= 3_600) {
            throw ValidationError("A time-out must be more than 0 and at most 3600 seconds.")
        }
    }

    /// Connects, sends a request, and returns the answer. An error ends the process with a message and an exit code.
    func answer<Request: ServerRequest>(to request: (RequestParameters) -> Request) async -> Request.Answer {
        await Program.run {
            let app = try await Application.connect(id: "demo.RelayClient")
            let relay = Relay(app)
            var id = device
            if id == nil { id = try await relay.installationID() }
            let parameters = RequestParameters(
                deviceID: id ?? Self.usualDevice, serverURL: url, connectTimeout: .seconds(connectTimeout),
                readTimeout: .seconds(readTimeout))
            let answer = try await style.send(request(parameters), relay)
            await app.close()
            return answer
        }
    }
}
