import IPCTesting
import Testing

/// The READMEs of some examples show what their scripts `demo` print.
@Suite(.privateBus)
struct ExampleDemoTests {
    @Test(arguments: ["ServerClientDemo", "HTTPRelay", "OAuthLogin"])
    func `a demo ends by itself, and prints what its README shows`(_ example: String) async throws {
        guard try await HTTPRelayScene.isolation() != nil else {
            try Test.cancel("this machine allows no network namespaces")
        }
        let broker = try await BrokerProcess.start()
        let demo = try await RunningProcess.run(
            "bash", ["-c", "exec \"$0\" 2>&1", ExamplePlace.folder("\(example)/demo")],
            environment: try ExamplePlace.programs)
        #expect(demo.status == .success, "\(demo)")
        let readme = try FileContents.text(ExamplePlace.folder("\(example)/README.md"))
        let after = try #require(readme.split(separator: "```console\n").dropFirst().first)
        let block = String(after.split(separator: "```")[0])
        let (printed, expected) = (lines(demo.output), lines(block))
        #expect(printed.count == expected.count && printed.count > 20, "\(demo)")
        for (line, wanted) in zip(printed, expected) {
            // The README shows the beginning of a long line.
            #expect(wanted.hasSuffix("…") ? line.hasPrefix(wanted.dropLast()) : line == wanted)
        }
        withExtendedLifetime(broker) {}
    }

    /// The lines from step 1, with what differs from run to run replaced: ports, processes, times and codes.
    private func lines(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("1. ") }
        return lines.map { line in
            String(line).replacing(/code=[0-9A-F]{8}/, with: "code=N")
                .replacing(#/127\.0\.0\.1[:/][0-9]+/#, with: "SERVER")
                .replacing(/(STOP|CONT) [0-9]+/) { "\($0.1) N" }.replacing(/20[0-9]{12}/, with: "TIME")
                .replacing(#/unshare .*--net /#, with: "unshare --net ")
        }
    }
}
