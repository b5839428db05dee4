import IPCDBus
import IPCModel
import IPCStore
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

    @Test func `a scheme is awaited until the last who may handle it has come`() throws {
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

    @Test func `one that is named is awaited by its name`() throws {
        let handlers = ReturningHandlers()
        handlers.expect([try Self.claims("demo.A", "a.demo")])
        let other = URLScheme("other.demo")
        #expect(handlers.areExpected(other, ApplicationID("demo.A")))
        #expect(!handlers.areExpected(other, ApplicationID("demo.B")))
    }

    @Test func `who waits looks again when one has come`() async throws {
        let handlers = ReturningHandlers(patience: .seconds(3_600))
        await handlers.change()
        handlers.expect([try Self.claims("demo.A", "a.demo"), try Self.claims("demo.B", "b.demo")])
        let waiting = DBusActor.task { await handlers.change() }
        // It waits once the work that was enqueued after it has run.
        try await DBusActor.task {}.value
        handlers.came(ApplicationID("demo.C"))
        handlers.came(ApplicationID("demo.A"))
        _ = try await waiting.value
        #expect(handlers.areExpected(URLScheme("b.demo"), nil))
    }
}
