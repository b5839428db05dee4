import IPCDBus
import IPCModel
import IPCStore
import IPCTesting
import Testing

@testable import IPCBroker

@DBusActor
@Suite("Handlers that are expected back")
struct ReturningHandlersTests {
    private static func claims(_ application: String, _ schemes: String...) throws -> LiveClaims {
        LiveClaims(
            application: try ApplicationID(application), owner: ":1.1@bus",
            schemes: try schemes.map { try URLScheme($0) },
            window: 1, takesDescriptors: false)
    }

    @Test func `a wait for a scheme lasts until its last possible handler has returned`() throws {
        let handlers = ReturningHandlers()
        let scheme = URLScheme("shared.demo")
        #expect(!handlers.areExpected(scheme, nil))
        handlers.expect([try Self.claims("demo.A", "shared.demo", "a.demo"), try Self.claims("demo.B", "Shared.Demo")])
        #expect(handlers.areExpected(scheme, nil))
        handlers.came(ApplicationID("demo.A"))
        let own = URLScheme("a.demo")
        #expect(handlers.areExpected(scheme, nil) && !handlers.areExpected(own, nil))
        handlers.came(ApplicationID("demo.B"))
        #expect(!handlers.areExpected(scheme, nil))
    }

    @Test func `a named handler is awaited by its name`() throws {
        let handlers = ReturningHandlers()
        handlers.expect([try Self.claims("demo.A", "a.demo")])
        let other = URLScheme("other.demo")
        #expect(handlers.areExpected(other, ApplicationID("demo.A")))
        #expect(!handlers.areExpected(other, ApplicationID("demo.B")))
    }

    @Test func `a waiting request checks again when a handler returns`() async throws {
        let handlers = ReturningHandlers(patience: .seconds(3_600))
        await handlers.change()
        handlers.expect([try Self.claims("demo.A", "a.demo"), try Self.claims("demo.B", "b.demo")])
        let waiting = DBusActor.task { await handlers.change() }
        // Tasks run in order, so once this one has run, the request is waiting.
        try await DBusActor.task {}.value
        handlers.came(ApplicationID("demo.C"))
        handlers.came(ApplicationID("demo.A"))
        _ = try await waiting.value
        #expect(handlers.areExpected(URLScheme("b.demo"), nil))
    }

    @Test func `a wait for an application ends when it returns, or is given up`() async throws {
        let handlers = ReturningHandlers(patience: .milliseconds(1))
        await handlers.end(of: ApplicationID("demo.A"))
        handlers.expect([try Self.claims("demo.A", "a.demo"), try Self.claims("demo.B", "b.demo")])
        let ended = Observed<[String]>([])
        let waiting = ["demo.A", "demo.B"].map { name in
            DBusActor.task {
                await handlers.end(of: try ApplicationID(name))
                ended.update { $0.append(name) }
            }
        }
        try await DBusActor.task {}.value
        handlers.came(ApplicationID("demo.A"))
        for task in waiting { try await task.value }
        #expect(ended.value == ["demo.A", "demo.B"])
    }
}
