import Glibc
import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// How programs end: by what they could not do, and by signals. In processes of their own.
struct ProgramTests {
    private struct Named: HandlerError, ExitCodeError {
        let code = "no-list"
        let message = "there is no list"
        let exitCode: Int32 = 66
    }

    private struct Unknown: Error, CustomStringConvertible { let description = "broken" }

    @Test func whatIsThrownIsASentenceAndAnExitCode() async throws {
        let ended = try #require(
            await #expect(processExitsWith: .exitCode(68), observing: [\.standardErrorContent]) {
                await Program.run { throw IPCError(.noHandler, "nobody\u{1B}[2J") }
            })
        let text = String(decoding: ended.standardErrorContent, as: UTF8.self)
        // A terminal obeys nothing of it.
        #expect(text.contains(": nobody\\u001b[2J\n") && !text.contains("\u{1B}"))
        await #expect(processExitsWith: .exitCode(66)) { await Program.run { throw Named() } }
        // The control: a program that could do everything.
        await #expect(processExitsWith: .success) { exit(await Program.run { 0 }) }
    }

    @Test func exitCodesAreThoseOfTheTools() {
        for code in IPCError.Code.allCases {
            #expect(Program.exitCode(of: IPCError(code, "")) == code.exitCode)
            #expect(Program.exitCode(of: CallFailure(.refused(IPCError(code, "")))) == code.exitCode)
        }
        let reasons: [(CallFailure.Reason, Outcome)] = [
            (.declined, .declined), (.cancelled, .cancelled), (.failed(code: "", message: ""), .failed),
            (.unavailable, .unavailable), (.timedOut, .timedOut), (.expired, .expired),
        ]
        for (reason, outcome) in reasons { #expect(Program.exitCode(of: CallFailure(reason)) == outcome.exitCode) }
        #expect(Program.exitCode(of: PasteboardItem.Invalid.empty) == 65)
        #expect(Program.exitCode(of: Unknown()) == 70)
    }

    @Test func signalsAreEventsAndEndNothing() async {
        await #expect(processExitsWith: .success) {
            let signals = StopSignals()
            // Before anybody waits.
            for number in [SIGTERM, SIGINT] { kill(getpid(), number) }
            var arrivals = signals.makeAsyncIterator()
            let first = await arrivals.next()
            let second = await arrivals.next()
            #expect(Set([first, second]) == [SIGTERM, SIGINT])
            kill(getpid(), SIGHUP)
            #expect(await arrivals.next() == SIGHUP)
        }
        // The controls: a process that does not listen, and one that does no longer.
        await #expect(processExitsWith: .signal(SIGTERM)) {
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let signals = StopSignals()
            StopSignals.leaveToSystem()
            kill(getpid(), SIGTERM)
            while true { withExtendedLifetime(signals) { _ = pause() } }
        }
    }

    @Test func whatWasIgnoredStaysIgnored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let signals = StopSignals()
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            var arrivals = signals.makeAsyncIterator()
            #expect(await arrivals.next() == SIGTERM)
        }
    }

    @Test func theFirstSignalEndsReceivingAndTheSecondOneWhatIsInHand() async {
        await #expect(processExitsWith: .success) { try await Self.stopTwice() }
    }

    @DBusActor
    private static func stopTwice() async throws {
        let pair = try await Pair()
        try await pair.application.register(["x"])
        let began = Collected<Void>()
        let (application, signals) = (pair.application, StopSignals())
        let serving = Task {
            try await application.onOpenURL(until: signals) { _ in
                began.add(())
                try await Task.sleep(for: .seconds(1_000))
                return []
            }
        }
        let delivery = Task { @DBusActor in try await pair.deliver("id-of-the-request", "x:") }
        _ = try await began.wait(for: 1)
        for number in [SIGINT, SIGTERM] { kill(getpid(), number) }
        try await serving.value
        #expect(try await delivery.value.0 == "cancelled")
        #expect(pair.broker.requests.unregistered.map(\.schemes) == [["x"]])
    }
}
