import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct RequestWait: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "wait", abstract: "Wait for the outcome of requests.",
        discussion: """
            Prints the reply, byte for byte. The outcome is the exit code, as with 'open'. If there are several \
            requests, they are reported in the order given, each once it has ended, and the exit code is that of the \
            first one that did not succeed. If the time is up before a request has ended, the exit code is 75. \
            Stopping this command does not affect the request.

            EXAMPLES
              id=$(ipc-client send --queue hello) && ipc-client request wait $id
              ipc-client request wait --timeout 1m --json $id | jq -r .outcome
            """)

    @OptionGroup var requests: RequestIDs

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for all requests: seconds, or 300ms, 20s, 2h. (default: forever)", valueName: "time"),
        transform: TimeSpan.parse)
    var timeout: TimeSpan?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await Client.connect(within: timeout?.duration)
        let deadline = timeout.map { ContinuousClock.now.advanced(by: $0.duration) }
        try await requests.forEach(output) { (id) throws in
            let left = deadline.map { max(.milliseconds(1), ContinuousClock.now.duration(to: $0)) }
            let response = try await app.request(id).wait(timeout: left)
            // A request that was not handled may have been queued again.
            let retry = response.outcome.exit != .success ? try? await app.request(id).info().retriedAs?.text : nil
            let report = OutcomeReport(response, url: nil, waited: nil, retriedAs: retry)
            guard !response.outcome.isEnd else { return try report.tell(output) }
            if output.json { try output.write(report.json) }
            let time = timeout?.defaultValueDescription ?? ""
            throw ToolFailure(
                name: response.outcome.rawValue,
                message: output.json
                    ? ""
                    : "\(response.id) did not end within \(time); wait again, or see its steps with "
                        + "'ipc-client request trace \(response.id)'",
                exit: .tryAgain)
        }
    }
}
