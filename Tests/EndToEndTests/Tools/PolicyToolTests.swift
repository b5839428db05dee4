import IPC
import IPCDBus
import IPCTesting
import Testing

/// `scheme policy`, and its effect on callers that open a URL.
@Suite(.privateBus)
struct PolicyToolTests {
    @Test func rulesAreShownKeptAndRemoved() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try await Tools.client(["scheme", "policy", "demo.X"]).succeeded().output == "default\tallow\n")
        let set = try await Tools.client([
            "scheme", "policy", "demo.X", "--default", "deny", "--allow", "a.A", "--deny", "b.B",
        ])
        #expect(set.status == .success && set.output.isEmpty, "\(set)")
        try await broker.restart()
        #expect(
            try await Tools.client(["scheme", "policy", "demo.X"]).succeeded().lines == [
                "default\tdeny", "allow\ta.A", "deny\tb.B",
            ])
        let json = try await Tools.client(["scheme", "policy", "demo.X", "--allow", "b.B", "--json"]).succeeded()
        #expect(
            json.output == #"{"application":"demo.X","default":"deny","allow":["a.A","b.B"],"deny":[]}"# + "\n")
        #expect(try await Tools.client(["scheme", "policy", "demo.X", "--forget"]).status == .success)
        #expect(try await Tools.client(["scheme", "policy", "demo.X"]).output == "default\tallow\n")
        #expect(try await Tools.client(["scheme", "policy", "demo.X", "--allow", "no id"]).status == .exited(65))
    }

    @Test func aDeniedSourceIsRefused() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        _ = try await Tools.client(["scheme", "policy", "demo.IPCServer", "--deny", "demo.IPCClient"]).succeeded()
        for command in [["send", "x"], ["send", "--queue", "x"], ["call", "IPCServer.demo:"]] {
            let refused = try await Tools.client(command)
            #expect(refused.status == .exited(77) && refused.output.isEmpty, "\(refused)")
        }
        let can = try await Tools.client(["scheme", "can-open", "IPCServer.demo:"])
        #expect(can.status == .exited(77) && can.errors.contains("policy demo.IPCServer"), "\(can)")
        #expect(try await Tools.client(["send", "--application", "org.example.Other", "y"]).status == .success)
        #expect(try await server.nextLine() == "y")
        withExtendedLifetime(broker) {}
    }

    /// I19: a caller that only states an allowed id, but does not own it as a bus name, is rejected.
    @Test func anAllowedSourceMustOwnItsID() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        let set = try await Tools.client([
            "scheme", "policy", "demo.IPCServer", "--default", "deny", "--allow", "org.example.Owner",
        ]).succeeded()
        let reason = "only if it owns the bus name of its application id"
        #expect(set.errors.contains(reason), "\(set)")
        let stated = try await Tools.client(["send", "--application", "org.example.Owner", "x"])
        #expect(stated.status == .exited(77) && stated.errors.contains(reason), "\(stated)")
        // The control: a caller whose id is not allowed gets no hint about owning a bus name.
        let other = try await Tools.client(["send", "--application", "org.example.Other", "x"])
        #expect(other.status == .exited(77) && !other.errors.contains(reason), "\(other)")
        let owner = try await Application.connect(
            id: "org.example.Owner", schemes: ["owner.demo"], bus: .address(try PrivateBus.current.address))
        #expect(try await owner.open("IPCServer.demo:mine").outcome == .handled)
        #expect(try await server.nextLine() == #"\(no payload: IPCServer.demo:mine)"#)
        await owner.close()
        withExtendedLifetime(broker) {}
    }
}
