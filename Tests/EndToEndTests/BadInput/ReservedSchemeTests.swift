import IPCTesting
import Testing

@Suite(.privateBus) struct ReservedSchemeTests {
    /// The reserved schemes of invariant I22, listed again by hand so that they do not depend on the tested code.
    private static let reserved = [
        "http", "https", "file", "ftp", "mailto", "tel", "data", "javascript", "vbscript", "about", "blob",
        "view-source", "dbus",
    ]

    private static let rows: [BadCall] = reserved.flatMap { (scheme: String) -> [BadCall] in
        let capital = scheme.prefix(1).uppercased() + scheme.dropFirst()
        let calls: [(String, String, WireCall)] = [
            ("live", scheme, .register("demo.Handler", [scheme])),
            ("stored", scheme, .register("demo.Stored", [scheme], ["persistent": .b(true)])),
            ("in capitals", scheme.uppercased(), .register("demo.Handler", [scheme.uppercased()])),
            ("with a capital", capital, .register("demo.Stored", [capital], ["persistent": .b(true)])),
            ("beside others", scheme, .register("demo.Handler", ["good.demo", scheme, "fine.demo"])),
            ("not allowed", scheme, .register("demo.Handler", ["a", scheme], ["allow-reserved": .b(false)])),
        ]
        return calls.map { kind, spelling, call in
            BadCall("\(scheme) \(kind)", call, "ReservedScheme", naming: "“\(spelling)”", "allow-reserved")
        }
    }

    @Test func `I22: a reserved scheme is not registered, and neither is the rest of its list`() async throws {
        // Only the connection that owns a handler's bus name may register the handler, so that connection makes all
        // calls.
        let scene = try await BadInputScene.start()
        #expect(Self.rows.count >= 20)
        try await scene.runRounds {
            for row in Self.rows {
                let answer = try await scene.peer.call(row.call, on: "handler")
                guard case .error(let name, let words) = row.refusal else { continue }
                #expect(answer.error == name, "\(row): \(answer)")
                for word in words { #expect(answer.text.contains(word), "\(row): \(answer)") }
            }
        }
    }

    @Test(arguments: reserved) func `I22: a reserved scheme is registered with explicit permission`(scheme: String)
        async throws
    {
        let scene = try await BadInputScene.start()
        try await scene.succeed(.register("demo.Handler", [scheme], ["allow-reserved": .b(true)]), on: "handler")
        let resolution = try await scene.succeed(.resolveURL("\(scheme):x"))
        #expect(resolution["application"]?.text == "demo.Handler")
    }
}
