import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct RequestsWait: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "wait", abstract: "Wait for the outcome of requests.",
        discussion: """
            A reply goes to standard output, byte for byte; the outcome is the exit code, as of 'open'. Of several \
            requests, each is told when it and all before it have ended, and the exit code is that of the first that \
            was no success. When the time is up exit code 75 says that it has not ended; to stop waiting leaves the \
            request alone.

            EXAMPLES
              id=$(ipc-client send --queue hello) && ipc-client requests wait $id
              ipc-client requests wait --timeout 1m --json $id | jq -r .outcome
            """)

    @OptionGroup var requests: RequestIDs

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for all of them: seconds, or 300ms, 20s, 2h. (default: for ever)", valueName: "time"),
        transform: TimeSpan.parse)
    var timeout: TimeSpan?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await Client.connect(within: timeout?.duration)
        let deadline = timeout.map { ContinuousClock.now.advanced(by: $0.duration) }
        try await requests.forEach(output) { (id) throws in
            let left = deadline.map { max(.milliseconds(1), ContinuousClock.now.duration(to: $0)) }
            let response = try await app.wait(for: id, timeout: left)
            // A request that was not handled may have been repeated.
            let retry = response.outcome.exit != .success ? try? await app.request(id).retriedAs : nil
            let report = OutcomeReport(response, url: nil, waited: nil, retriedAs: retry)
            guard !response.outcome.isEnd else { return try report.tell(output) }
            if output.json { try OutputStream.output.writeLine(report.json.text) }
            let time = timeout?.defaultValueDescription ?? ""
            throw ToolFailure(
                name: response.outcome.rawValue,
                message: output.json
                    ? ""
                    : "\(response.id) has not ended within \(time); wait again, or see what it waits for: "
                        + "'ipc-client trace \(response.id)'",
                exit: .tryAgain)
        }
    }
}
