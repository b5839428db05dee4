import IPCTesting
import Testing

/// Negative controls for the tests of bad input: each kind of damage to the broker is noticed.
@Suite(.privateBus) struct BrokerConditionTests {
    @Test func `a restart, a descriptor, memory or content counts as damage`() async throws {
        let scene = try await BadInputScene.start()
        let base = try await scene.condition()
        #expect(try await scene.condition().damage(since: base) == [])
        let changes: [(inout BrokerCondition) -> Void] = [
            { $0.pid += 1 }, { $0.descriptors += 1 }, { $0.descriptors -= 1 },
            { $0.memory += BrokerCondition.memoryTolerance + 1 }, { $0.content.removeLast() },
        ]
        for change in changes {
            var condition = base
            change(&condition)
            #expect(condition.damage(since: base).count == 1)
        }
    }

    @Test(arguments: [
        WireCall.getPasteboard("new"), .setItems(.item("canary")), .clear(), .addItems(), .removePasteboard("canary"),
        .register("demo.Stored", ["stored.demo"], ["persistent": .b(true)]),
        .setDefault("handler.demo", "demo.Handler"),
    ])
    func `a write counts as damage`(call: WireCall) async throws {
        let scene = try await BadInputScene.start()
        let base = try await scene.condition()
        try await scene.succeed(call)
        if call.member == "RemovePasteboard" {
            try await scene.succeed(.getPasteboard("canary"))
        }
        #expect(try await scene.condition().damage(since: base).count >= 1)
    }

    @Test func `a row that expects another error fails`() async throws {
        let scene = try await BadInputScene.start()
        for row in [
            BadCall("accepted", .describe(), "InvalidArguments"), BadCall("another name", .openURL(""), "InvalidName"),
            BadCall("another word", .openURL(""), "InvalidURL", naming: "no such word"),
            BadCall(thrownOff: "answered", .describe()),
        ] {
            await withKnownIssue { try await row.expectRefused(in: scene) }
        }
    }
}
