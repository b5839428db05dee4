import Glibc
import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// The exit codes of programs, and how signals stop programs. Each signal is tested in a separate process.
struct ProgramTests {
    @Test func exitCodesMatchTheTools() {
        for code in IPCError.Code.allCases {
            #expect(IPCError(code, "").exitCode == code.exitCode)
            #expect(CallFailure(.refused(IPCError(code, ""))).exitCode == code.exitCode)
        }
        let reasons: [(CallFailure.Reason, Outcome)] = [
            (.declined, .declined), (.cancelled, .cancelled), (.failed(code: "", message: ""), .failed),
            (.unavailable, .unavailable), (.timedOut, .timedOut), (.expired, .expired),
        ]
        for (reason, outcome) in reasons { #expect(CallFailure(reason).exitCode == outcome.exitCode) }
    }

    @Test func signalsAreEventsAndStopNothing() async {
        await #expect(processExitsWith: .success) {
            let signals = StopSignals()
            // Send the signals before any task waits for them: they must not be lost.
            for number in [SIGTERM, SIGINT] { kill(getpid(), number) }
            var arrivals = signals.makeAsyncIterator()
            let first = await arrivals.next()
            let second = await arrivals.next()
            #expect(Set([first, second]) == [SIGTERM, SIGINT])
            kill(getpid(), SIGHUP)
            #expect(await arrivals.next() == SIGHUP)
        }
        // Negative controls: SIGTERM kills a process that never listened for signals, and one that no longer does.
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

    @Test func ignoredSignalsStayIgnored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let signals = StopSignals()
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            var arrivals = signals.makeAsyncIterator()
            #expect(await arrivals.next() == SIGTERM)
        }
    }

    @Test func theFirstSignalStopsReceivingAndTheSecondCancelsRequestsInFlight() async {
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
