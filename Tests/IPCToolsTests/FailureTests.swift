import ArgumentParser
import IPC
import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPCTools
@testable import ipc_client
@testable import ipc_server

@Suite("Failures and exit codes")
struct FailureTests {
    private static let plain = Style(.never, for: .error)

    /// The exit codes of the contract, written a second time: scripts rely on them, so they must not change.
    @Test(arguments: [
        (IPCError.Code.invalidArguments, 65), (.invalidURL, 65), (.invalidName, 65), (.payloadInvalid, 65),
        (.noSuchPasteboard, 66), (.noSuchItem, 66), (.noSuchRequest, 66), (.noHandler, 68), (.handlerUnavailable, 69),
        (.noBus, 69), (.storeUnavailable, 69), (.timedOut, 75), (.notOwner, 73), (.noSpace, 74), (.inputOutput, 74),
        (.changeCountMismatch, 75),
        (.limitExceeded, 75), (.accessDenied, 77), (.reservedScheme, 77), (.loopDetected, 77),
    ])
    func errorsExit(_ code: IPCError.Code, _ exit: Int) {
        #expect(ToolFailure(IPCError(code, "why")).exit.rawValue == Int32(exit))
    }

    @Test func everyErrorHasARow() { #expect(IPCError.Code.allCases.count == 20) }

    @Test(arguments: [
        (Outcome.handled, 0), (.delivered, 0), (.queued, 0), (.declined, 1), (.cancelled, 2), (.unavailable, 69),
        (.failed, 70), (.timedOut, 75), (.expired, 75),
    ])
    func outcomesExit(_ outcome: Outcome, _ exit: Int) {
        #expect(outcome.exit.rawValue == Int32(exit))
    }

    @Test func usageIs64() { #expect(ToolFailure.usage("x").exit.rawValue == 64) }

    @Test func isASentenceBehindTheProgram() {
        let failure = ToolFailure(IPCError(.noHandler, "nobody\u{1B}[2J\nis\there"))
        #expect(
            failure.line(program: "ipc-client", json: nil, style: Self.plain)
                == #"ipc-client: nobody\u001b[2J\nis\there"#)
        #expect(
            failure.line(program: "ipc-client", json: .short, style: Self.plain)
                == #"{"error":"NoHandler","message":"nobody\u001b[2J\nis\there","exit-code":68}"#)
    }

    /// An error of the broker in the form in which the library throws it.
    private static func told(_ sentence: String) -> IPCError {
        IPCError(CallError.remote(name: IPCError.Code.invalidArguments.errorName.text, message: sentence))
    }

    /// The broker's advice is replaced: the library names its own members, and a tool its own commands and options.
    @Test(arguments: Advice.allCases)
    func adviceExistsForTheLibraryAndTheTools(_ advice: Advice) {
        let start = "it is “\(advice.rawValue)”; "
        let error = Self.told(start + advice.rawValue)
        #expect(error.message == start + advice.ofLibrary && advice.ofLibrary != advice.rawValue)
        let failure = ToolFailure(error)
        #expect(failure.message.hasPrefix(start))
        #expect(!failure.message.hasSuffix(advice.rawValue) && !failure.message.hasSuffix(advice.ofLibrary))
        #expect(["'ipc-client ", "--"].contains { failure.message.contains($0) })
    }

    @Test func adviceOfTheBusIsRecognized() {
        let conditions: [any Condition] = [
            PasteboardError.noSuchPasteboard("b"), PasteboardError.noSuchVersion(.general, 1),
            IPCError.reserved("https"), IPCError.noHandler("x"),
        ]
        for condition in conditions {
            let error = Self.told(condition.ipcError.message)
            #expect(error.message != condition.ipcError.message, "\(condition)")
            #expect(ToolFailure(error).message != error.message, "\(condition)")
        }
    }

    @Test(arguments: [
        (["sned", "hello"], "there is no command “sned”, did you mean “send”? 'ipc-client --help' lists all"),
        (["hlep"], "there is no command “hlep”; 'ipc-client --help' lists all"),
        (["boards"], "there is no command “boards”, did you mean “board”? 'ipc-client --help' lists all"),
        (["handlers"], "there is no command “handlers”, did you mean “handle”? 'ipc-client --help' lists all"),
        (["xyzzy"], "there is no command “xyzzy”; 'ipc-client --help' lists all"),
        (
            ["request", "lst"],
            "there is no command “lst”, did you mean “list”? 'ipc-client request --help' lists all"
        ),
    ])
    func anUnknownCommandIsNamed(_ arguments: [String], _ sentence: String) {
        let failure = ToolFailure.unknownCommand(in: arguments, of: IPCClientCommand.self)
        #expect(failure == .usage(sentence))
    }

    @Test(arguments: [
        ["send", "--nonsense"], ["board", "list", "--nonsense"], ["request", "list", "--state", "lost"], ["request"],
        ["--nonsense"], [],
    ])
    func aKnownCommandIsNotReported(_ arguments: [String]) {
        #expect(ToolFailure.unknownCommand(in: arguments, of: IPCClientCommand.self) == nil)
        #expect(ToolFailure.unknownCommand(in: arguments + ["x"], of: IPCServerCommand.self) == nil)
    }

    @Test(arguments: [
        (["--vesion"], "Unknown option '--vesion'. Did you mean '--version'?"),
        (["board", "list", "--vesion"], "Unknown option '--vesion'. Did you mean '--version'?"),
        (["board", "list", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
        (["send", "--hlep"], "Unknown option '--hlep'. Did you mean '--help'?"),
        (["setup", "--no-sytemd"], "Unknown option '--no-sytemd'. Did you mean '--no-systemd'?"),
        // Nothing is suggested, because no option has a similar name.
        (["send", "--abc", "x"], "Unknown option '--abc'"), (["board", "list", "--ver"], "Unknown option '--ver'"),
        (["send", "-X"], "Unknown option '-X'"),
        // Users write the flag in this form.
        (["--json-pretty", "board", "list"], "Unknown option '--json=pretty'"),
    ])
    func anUnknownOptionGetsOnlyACloseSuggestion(_ arguments: [String], _ sentence: String) throws {
        let tool = IPCClientCommand.self
        let error = try #require(#expect(throws: (any Error).self) { try ToolProcess.parse(tool, arguments) })
        #expect(UnknownOption.message(tool.message(for: error), in: arguments, of: tool) == sentence)
        let whole = UnknownOption.message(sentence + "\nUsage: x", in: arguments, of: tool)
        #expect(whole == sentence + "\nUsage: x")
    }

    @Test func otherMessagesStayUnchanged() {
        let message = "Missing value for '--type <type>'"
        #expect(UnknownOption.message(message, in: ["get"], of: IPCClientCommand.self) == message)
    }

    @Test func isColoredOnlyWhenAsked() {
        #expect(Style(.always, for: .output).red("x") == "\u{1B}[1;31mx\u{1B}[0m")
        #expect(Self.plain.red("x") == "x")
    }

    /// Each of these environments decides, whether the stream is a terminal or not.
    @Test(arguments: [
        (["CLICOLOR_FORCE": "1"], true), (["CLICOLOR_FORCE": "yes", "CLICOLOR": "0"], true),
        (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false), (["CLICOLOR_FORCE": "1", "NO_COLOR": ""], true),
        (["CLICOLOR": "0"], false), (["CLICOLOR_FORCE": "0", "CLICOLOR": "0"], false),
    ])
    func theEnvironmentChoosesColor(_ environment: [String: String], _ isColored: Bool) {
        #expect(Style(.auto, for: .error) { environment[$0] }.isColored == isColored)
        // An option on the command line always wins.
        #expect(Style(.always, for: .error) { environment[$0] }.isColored)
        #expect(!Style(.never, for: .error) { environment[$0] }.isColored)
    }

    @Test func reportsMissingFiles() {
        let failure = #expect(throws: ToolFailure.self) { _ = try InputFile.read("/nowhere/at/all") }
        #expect(failure?.exit == .noInput)
        #expect(failure?.name == "NoSuchFile")
    }

    @Test func reportsFoldersAsInvalidInput() {
        let failure = #expect(throws: ToolFailure.self) { _ = try InputFile.read("/") }
        #expect(failure?.exit == .noInput)
    }

    @Test func refusesEndlessFiles() {
        let failure = #expect(throws: ToolFailure.self) { _ = try InputFile.read("/dev/zero", most: 200_000) }
        #expect(failure?.exit == .dataError)
    }
}
