import ArgumentParser
import IPC
import IPCModel
import Testing

@testable import IPCTools
@testable import ipc_client
@testable import ipc_server

@Suite("Command lines of requests")
struct RequestArgumentTests {
    private static let id = "4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11"

    @Test func alwaysHaveAnID() throws {
        let send = try Send.parse(["x"])
        let one = try send.request.openOptions(send.queueing)
        let two = try send.request.openOptions(send.queueing)
        #expect(one.id != two.id)
        #expect(one.id != nil)
        #expect(try Open.parse(["--id", Self.id, "x:"]).request.openOptions().id?.text == Self.id)
    }

    @Test func waitUnlessTheyQueue() throws {
        let waiting = try Send.parse(["x"])
        #expect(try !waiting.request.openOptions(waiting.queueing).isQueued)
        let queued = try Send.parse(["--queue", "--time-to-live", "30d", "--timeout", "1m", "x"])
        let options = try queued.request.openOptions(queued.queueing)
        #expect(options.isQueued && options.requestTimeToLive == .seconds(30 * 86_400))
        #expect(options.timeout == .seconds(60))
        #expect(try Open.parse(["--queue", "x:"]).queueing.queue)
    }

    private func environment(_ variables: [String: String]) -> RequestEnvironment {
        RequestEnvironment { variables[$0] }
    }

    @Test func takeTheParentFromTheEnvironmentOfACommand() throws {
        let inside = environment(["IPC_ID": Self.id])
        #expect(try Open.parse(["x:"]).request.openOptions(in: environment([:])).parent == nil)
        #expect(try Open.parse(["x:"]).request.openOptions(in: inside).parent?.text == Self.id)
        #expect(try Call.parse(["x:"]).request.openOptions(in: inside).parent?.text == Self.id)
        let other = "00000000-0000-0000-0000-000000000000"
        #expect(try Open.parse(["--parent", other, "x:"]).request.openOptions(in: inside).parent?.text == other)
        #expect(try Open.parse(["x:"]).request.openOptions(in: environment(["IPC_ID": ""])).parent == nil)
    }

    @Test func rejectAParentThatIsNotAnID() throws {
        let wrong = environment(["IPC_ID": "no id"])
        let failure = #expect(throws: ToolFailure.self) {
            try Open.parse(["x:"]).request.checkEnvironment(wrong)
        }
        #expect(failure?.exit == .dataError && failure?.message.contains("IPC_ID") == true)
        // There is no error if `--parent` is given, or if `IPC_ID` is an id or empty.
        #expect(throws: Never.self) {
            try Open.parse(["--parent", Self.id, "x:"]).request.checkEnvironment(wrong)
            try Open.parse(["x:"]).request.checkEnvironment(environment(["IPC_ID": Self.id]))
            try Open.parse(["x:"]).request.checkEnvironment(environment(["IPC_ID": ""]))
        }
    }

    @Test func passTheActivationTokenOn() {
        let both = ["XDG_ACTIVATION_TOKEN": "wayland", "DESKTOP_STARTUP_ID": "x11"]
        #expect(environment([:]).activationToken == nil)
        #expect(environment(["DESKTOP_STARTUP_ID": "x11"]).activationToken == "x11")
        #expect(environment(both).activationToken == "wayland")
        #expect(environment(both.merging(["XDG_ACTIVATION_TOKEN": ""]) { $1 }).activationToken == "x11")
        let long = String(repeating: "x", count: 1_025)
        #expect(environment(["XDG_ACTIVATION_TOKEN": long]).activationToken == nil)
    }

    @Test func sendContentInCallsOnlyIfThereIsAny() throws {
        #expect(try Call.parse(["x:"]).items() == nil)
        #expect(try Call.parse(["x:", "a", "b"]).items() == [.string("a b")])
        #expect(try Call.parse(["x:", "", "--type", "text/html"]).items()?.first?.types == [.html])
        #expect(try Call.parse(["x:", "--file", "/dev/null"]).items()?.count == 1)
        let missing = try Call.parse(["x:", "--file", "/nowhere/at/all"])
        let failure = #expect(throws: ToolFailure.self) { try missing.items() }
        #expect(failure?.exit == .noInput)
        #expect(try Call.parse(["x:"]).callbackScheme == "IPCClient.demo")
    }

    @Test(arguments: [
        (["open", "x:", "--timeout", "-1"], "1193h"), (["open", "x:", "--timeout", "5000d"], "ms, s, m or h"),
        (["request", "wait", "x", "--timeout", "0"], "1193h"),
        (["request", "list", "--limit", "-1"], "1 to 4294967295"),
        (["send", "--queue", "--time-to-live", "1y", "x"], "h, d or w"), (["copy", "--expire", "abc", "x"], "36525d"),
    ])
    func listTheValidValues(_ arguments: [String], _ words: String) {
        let error = #expect(throws: (any Error).self) { try IPCClientCommand.parseAsRoot(arguments) }
        #expect(error.map { IPCClientCommand.message(for: $0) }?.contains(words) == true)
    }

    @Test func nameTheCommandAfterItsNoun() throws {
        let plain = try IPCClientCommand.parseAsRoot(["request", "list", "--state", "waiting", "--limit", "3"])
        let list = try #require(plain as? RequestList)
        #expect(list.state == .state(.waiting) && list.limit == 3)
        #expect(try IPCClientCommand.parseAsRoot(["request", "list"]) is RequestList)
        #expect(try IPCClientCommand.parseAsRoot(["request", "wait", "x"]) is RequestWait)
        // `ToolProcess.parse`, which the tool really uses, gives the same results.
        #expect(try ToolProcess.parse(IPCClientCommand.self, ["request", "drop", "a", "b"]) is RequestDrop)
        #expect(try ToolProcess.parse(IPCClientCommand.self, ["request", "list"]) is RequestList)
        #expect(try ToolProcess.parse(IPCClientCommand.self, ["board", "list"]) is BoardList)
    }

    @Test func filterByStateAndOutcome() {
        #expect(RequestFilter(argument: "delivered") == .state(.delivered))
        #expect(RequestFilter(argument: "timed-out") == .outcome(.timedOut))
        #expect(RequestFilter(argument: "queued") == .outcome(.queued))
        #expect(RequestFilter(argument: "Waiting") == nil)
        #expect(RequestFilter.allValueStrings.allSatisfy { RequestFilter(argument: $0) != nil })
        #expect(Set(RequestFilter.allValueStrings).count == RequestFilter.allValueStrings.count)
    }

    @Test func handleOneRequestAtATimeByDefault() throws {
        #expect(try IPCServerCommand.parse([]).receiver.window == 1)
        #expect(try Listen.parse(["--window", "8"]).receiver.window == 8)
        #expect(try Listen.parse([]).receiver.callbacks)
        #expect(try !Listen.parse(["--no-callbacks"]).receiver.callbacks)
    }
}

@Suite("Policies on the command line")
struct PolicyArgumentTests {
    private let before = AccessPolicy(allowsOthers: false, allowed: ["a.A", "b.B"], refused: ["c.C"])

    @Test func addToTheExistingRules() throws {
        let policy = try SchemePolicy.parse(["x.Y", "--allow", "d.D"]).changed(before)
        #expect(policy == AccessPolicy(allowsOthers: false, allowed: ["a.A", "b.B", "d.D"], refused: ["c.C"]))
    }

    @Test func moveFromOneListToTheOther() throws {
        let policy = try SchemePolicy.parse(["x.Y", "--allow", "c.C", "--deny", "a.A"]).changed(before)
        #expect(policy == AccessPolicy(allowsOthers: false, allowed: ["b.B", "c.C"], refused: ["a.A"]))
    }

    @Test func changeTheDefault() throws {
        #expect(try SchemePolicy.parse(["x.Y", "--default", "allow"]).changed(before).allowsOthers)
        #expect(try !SchemePolicy.parse(["x.Y", "--default", "deny"]).changed(AccessPolicy()).allowsOthers)
        #expect(try SchemePolicy.parse(["x.Y"]).changed(before) == before)
    }

    @Test func arePrinted() throws {
        let command = try SchemePolicy.parse(["x.Y"])
        #expect(command.text(before) == "default\tdeny\nallow\ta.A\nallow\tb.B\ndeny\tc.C")
        #expect(command.text(AccessPolicy()) == "default\tallow")
        #expect(
            command.json(before).text
                == #"{"application":"x.Y","default":"deny","allow":["a.A","b.B"],"deny":["c.C"]}"#)
    }
}
