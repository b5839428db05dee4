import IPCTesting
import Testing

/// The README's picture of the first minute, which `make recording` draws.
@Suite struct RecordingTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    @Test func `the recording in the README shows what the programs print`() async throws {
        let folder = try TemporaryDirectory("recording")
        defer { folder.remove() }
        let drawn = folder.appending("drawn.svg")
        let output = try await RunningProcess.run(
            "\(Self.root)/scripts/recording", [Binaries.directory, drawn], deadline: .seconds(60))
        #expect(output.status == .success, "\(output)")
        let (shown, actual) = (
            try FileContents.text("\(Self.root)/docs/first-minute.svg"), try FileContents.text(drawn)
        )
        #expect(shown == actual, "run 'make recording'")
        // Negative control: the picture contains the output, so different output makes a different picture.
        #expect(actual.contains("listening as demo.IPCServer"))
    }
}
