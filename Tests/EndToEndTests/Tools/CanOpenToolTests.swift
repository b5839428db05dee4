import IPCTesting
import Testing

/// Scripts that wait for a handler that is still starting.
@Suite(.privateBus)
struct CanOpenToolTests {
    private func canOpen(_ time: String...) async throws -> ProcessOutput {
        try await Tools.client(["scheme", "can-open", "IPCServer.demo:"] + time.flatMap { ["--wait", $0] })
    }

    @Test func aWaitEndsWhenTheHandlerAppears() async throws {
        let broker = try await BrokerProcess.start()
        async let answer = canOpen("10m")
        let server = try await Tools.server()
        let told = try await answer
        #expect(told.status == .success && told.output == "yes\n", "\(told)")
        #expect(try await server.terminate() == .success)
        // The control: if no handler appears, the answer after the wait is the same as without waiting.
        let nobody = try await canOpen("10ms")
        #expect(nobody.status == .exited(68) && nobody.output == "no\n", "\(nobody)")
        #expect(try await canOpen().errors == nobody.errors)
        withExtendedLifetime(broker) {}
    }

    @Test func aKnownHandlerIsAwaitedByItsName() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        #expect(try await canOpen("10ms").status == .exited(69))
        async let answer = canOpen("10m")
        let server = try await Tools.server()
        #expect(try await answer.status == .success)
        withExtendedLifetime((broker, server)) {}
    }

    @Test func aFailedHandlerIsNotReportedAsBlockedByPolicy() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "activation-starts=1", "--limit", "activation-period-milliseconds=600000"]
        let broker = try await BrokerProcess.start(settings)
        try await PrivateBus.current.addService(name: "demo.IPCServer", exec: "/bin/false")
        try await Tools.claim()
        #expect(try await canOpen().status == .success)
        #expect(try await Tools.client(["send", "x"]).status == .exited(69))
        let failed = try await canOpen()
        #expect(failed.status == .exited(69) && failed.errors.contains("has just failed"), "\(failed)")
        // The control: a policy that rejects the caller.
        _ = try await Tools.client(["scheme", "policy", "demo.IPCServer", "--deny", "demo.IPCClient"]).succeeded()
        let refused = try await canOpen()
        #expect(refused.status == .exited(77) && refused.errors.contains("its policy rejects"), "\(refused)")
        withExtendedLifetime(broker) {}
    }
}
