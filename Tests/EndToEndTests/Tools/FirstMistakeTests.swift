import IPCTesting
import Testing

/// What the tools say to who makes a mistake in the first hour.
@Suite(.privateBus)
struct FirstMistakeTests {
    @Test func aCommandThatIsNoneIsNamed() async throws {
        let wrong = try await Tools.client(["sned", "hello"])
        #expect(wrong.status == .exited(64) && wrong.output.isEmpty)
        #expect(wrong.errors.contains("there is no command “sned”, did you mean “send”?"), "\(wrong)")
        // The control: what is wrong with a command is told as it was.
        let right = try await Tools.client(["send", "--nonsense"])
        #expect(right.status == .exited(64) && right.errors.contains("--nonsense"), "\(right)")
    }

    @Test func aBusThatIsNotThereIsToldWithItsAddress() async throws {
        var environment = try PrivateBus.current.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
        let alone = try await Tools.client(["boards"], environment: environment)
        #expect(alone.status == .exited(69) && alone.errors.contains("unix:path=/nowhere"), "\(alone)")
    }

    @Test func aSchemeOfNobodyIsASentence() async throws {
        let broker = try await BrokerProcess.start()
        let resolved = try await Tools.client(["resolve", "nobody.here:x"]).succeeded()
        #expect(resolved.output == "nobody\tno-handler\tnone\n")
        #expect(resolved.errors.contains("register nobody.here --application"), "\(resolved)")
        let opened = try await Tools.client(["open", "nobody.here:x"])
        #expect(opened.status == .exited(68) && opened.errors.contains("'ipc-client handlers'"), "\(opened)")
        // The control: where there is somebody, there is nothing to say.
        try await Tools.claim()
        #expect(try await Tools.client(["resolve", "IPCServer.demo:x"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [
        (["bad scheme", "--application", "com.example.Notes"], "“bad scheme”"),
        (["notes", "--application", "Notes"], "“Notes”"),
    ])
    func aWrongNameIsToldBeforeAMissingOption(arguments: [String], quoted: String) async throws {
        let wrong = try await Tools.client(["register"] + arguments)
        #expect(wrong.status == .exited(65) && wrong.errors.contains(quoted), "\(wrong)")
        #expect(!wrong.errors.contains("--persistent"))
        // The control: with right names the option is missing.
        let missing = try await Tools.client(["register", "notes", "--application", "com.example.Notes"])
        #expect(missing.status == .exited(64) && missing.errors.contains("--persistent"), "\(missing)")
    }

    @Test func adviceIsInTheWordsOfTheTool() async throws {
        let broker = try await BrokerProcess.start()
        let board = try await Tools.client(["get", "nosuchboard"])
        #expect(board.status == .exited(66) && board.errors.contains("'ipc-client set BOARD'"), "\(board)")
        let scheme = try await Tools.client(["register", "https", "--application", "com.example.Notes", "--persistent"])
        #expect(scheme.status == .exited(77) && scheme.errors.contains("--allow-reserved "), "\(scheme)")
        for output in [board, scheme] {
            #expect(!output.errors.contains("“create”") && !output.errors.contains("say “"))
        }
        withExtendedLifetime(broker) {}
    }
}
