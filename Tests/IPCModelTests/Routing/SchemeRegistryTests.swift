import IPCModel
import Testing

@Suite("SchemeRegistry")
struct SchemeRegistryTests {
    private let first: ApplicationID
    private let second: ApplicationID
    private let third: ApplicationID
    private let demo: URLScheme
    private let other: URLScheme

    init() throws {
        first = ApplicationID("demo.First")
        second = ApplicationID("demo.Second")
        third = ApplicationID("demo.Third")
        demo = URLScheme("IPCServer.demo")
        other = URLScheme("IPCClient.demo")
    }

    @Test("The first claim sets the handler and reports it; a second call changes nothing")
    func firstClaim() throws {
        var registry = SchemeRegistry()
        #expect(registry.handler(of: demo) == nil)
        let changes = try registry.register(first, [demo, other], kind: .live)
        #expect(
            changes == [
                SchemeChange(scheme: demo, old: nil, new: first), SchemeChange(scheme: other, old: nil, new: first),
            ])
        #expect(try registry.register(first, [demo], kind: .live).isEmpty)
        #expect(registry.claimCount == 2)
    }

    @Test("A scheme is found in every spelling, and shown in its handler's latest spelling")
    func spelling() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo], kind: .live)
        #expect(registry.handler(of: URLScheme("ipcserver.DEMO"))?.scheme.spelling == "IPCServer.demo")
        #expect(try registry.register(first, [URLScheme("IPCSERVER.demo")], kind: .live).isEmpty)
        #expect(registry.handler(of: demo)?.scheme.spelling == "IPCSERVER.demo")
        #expect(registry.schemes(of: first).map(\.spelling) == ["IPCSERVER.demo"])
    }

    @Test("I21: a newcomer never displaces a claim of its rank", arguments: SchemeClaim.Kind.allCases)
    func newcomer(kind: SchemeClaim.Kind) throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo], kind: kind)
        #expect(try registry.register(second, [demo], kind: kind).isEmpty)
        #expect(registry.handler(of: demo)?.application == first)
        // Repeating a claim changes nothing: the second application stays behind the first, and the first keeps its
        // age.
        #expect(try registry.register(second, [demo], kind: kind).isEmpty)
        #expect(try registry.register(first, [demo], kind: kind).isEmpty)
        #expect(registry.handler(of: demo)?.application == first)
    }

    @Test("A persistent claim precedes every live one, and the oldest persistent one precedes all")
    func lasting() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo], kind: .live)
        let change = SchemeChange(scheme: demo, old: first, new: second)
        #expect(try registry.register(second, [demo], kind: .persistent) == [change])
        #expect(try registry.register(third, [demo], kind: .installed).isEmpty)
        // A live claim that becomes persistent keeps its age.
        #expect(try registry.register(first, [demo], kind: .persistent).isEmpty)
        #expect(registry.claims(on: demo).map(\.application) == [second, third, first])
        #expect(registry.claims(on: demo).map(\.kind) == [.persistent, .installed, .persistent])
        #expect(registry.claim(of: first, on: demo)?.kinds == [.live, .persistent])
    }

    @Test("I21: the user's choice wins, is kept while its application is absent, and wins again when it is back")
    func userDefault() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo], kind: .persistent)
        _ = try registry.register(second, [demo], kind: .live)
        #expect(try registry.setDefault(demo, second) == SchemeChange(scheme: demo, old: first, new: second))
        #expect(
            registry.unregister(second, [], kinds: [.live]) == [SchemeChange(scheme: demo, old: second, new: first)])
        #expect(registry.defaultApplication(of: demo) == second)
        let back = try registry.register(second, [demo], kind: .live)
        #expect(back == [SchemeChange(scheme: demo, old: first, new: second)])
        #expect(try registry.setDefault(demo, nil) == SchemeChange(scheme: demo, old: second, new: first))
        #expect(registry.defaultApplication(of: demo) == nil)
    }

    @Test("The user may choose an application that claims nothing yet")
    func absentDefault() throws {
        var registry = SchemeRegistry()
        #expect(try registry.setDefault(demo, third) == nil)
        #expect(registry.handler(of: demo) == nil && registry.defaultCount == 1)
        #expect(registry.absentDefaults(limit: 1) == ["ipcserver.demo": "demo.Third"])
        #expect(registry.absentDefaults(limit: 0) == [:])
        _ = try registry.setDefault(other, first)
        let pages = [(nil, 1), (registry.defaults(limit: 1)[0].scheme, 1), (nil, 9)].map { after, limit in
            registry.defaults(after: after, limit: limit).map(\.scheme)
        }
        #expect(pages == [[min(demo, other)], [max(demo, other)], [demo, other].sorted()])
        _ = try registry.setDefault(other, nil)
        _ = try registry.register(third, [other], kind: .live)
        #expect(registry.absentDefaults(limit: 1).count == 1)
        _ = try registry.register(third, [demo], kind: .live)
        #expect(registry.absentDefaults(limit: 1) == [:])
        _ = registry.unregister(third, [], kinds: [.live])
        #expect(registry.absentDefaults(limit: 1).count == 1)
        #expect(registry.handlers(limit: 10).isEmpty, "a choice alone does not make a handler")
        _ = try registry.register(first, [demo], kind: .live)
        #expect(registry.handler(of: demo)?.application == first)
        let change = SchemeChange(scheme: demo, old: first, new: third)
        #expect(try registry.register(third, [demo], kind: .live) == [change])
    }

    @Test("When a process exits, its live claims end, and the next oldest claim takes over")
    func release() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo, other], kind: .live)
        _ = try registry.register(first, [other], kind: .persistent)
        _ = try registry.register(second, [demo, other], kind: .live)
        #expect(registry.unregister(first, [], kinds: [.live]) == [SchemeChange(scheme: demo, old: first, new: second)])
        #expect(registry.claim(of: first, on: other)?.kinds == [.persistent])
        #expect(registry.unregister(second, [], kinds: [.live]) == [SchemeChange(scheme: demo, old: second, new: nil)])
        #expect(registry.unregister(third, [], kinds: [.live]).isEmpty)
        #expect(registry.claimCount == 1)
    }

    @Test("Unregistering takes the named schemes, an empty list takes all; installed claims stay")
    func unregister() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo, other], kind: .live)
        _ = try registry.register(first, [demo], kind: .installed)
        #expect(registry.unregister(first, [other]) == [SchemeChange(scheme: other, old: first, new: nil)])
        #expect(registry.unregister(first, [other]).isEmpty, "what is not claimed is passed over")
        #expect(registry.unregister(first, []).isEmpty, "the installed claim handles on")
        #expect(registry.claim(of: first, on: demo)?.kinds == [.installed])
        let gone = registry.unregister(first, [], kinds: [.installed])
        #expect(gone == [SchemeChange(scheme: demo, old: first, new: nil)])
        #expect(registry.claimCount == 0 && registry.schemes(of: first).isEmpty)
    }

    @Test("I22: a reserved scheme needs explicit permission, and one in a list rejects the whole list")
    func reserved() throws {
        var registry = SchemeRegistry()
        let https = URLScheme("HTTPS")
        let error = #expect(throws: IPCError.reserved(https)) {
            try registry.register(first, [demo, https], kind: .persistent)
        }
        #expect(error?.ipcError.code == .reservedScheme)
        #expect(registry.handler(of: demo) == nil && registry.claimCount == 0)
        let changes = try registry.register(first, [demo, https], kind: .persistent, allowReserved: true)
        #expect(changes.map(\.scheme) == [demo, https])
    }

    @Test("An empty list of schemes is refused")
    func empty() {
        var registry = SchemeRegistry()
        let error = #expect(throws: IPCError.self) {
            try registry.register(first, [], kind: .live)
        }
        #expect(error?.code == .invalidArguments)
        if let error { expectSentence(error) }
    }

    @Test("Conflicts are the claims of others, in the order of the list, up to a limit")
    func conflicts() throws {
        var registry = SchemeRegistry()
        _ = try registry.register(first, [demo, other], kind: .live)
        _ = try registry.register(second, [demo], kind: .live)
        _ = try registry.register(third, [other, demo], kind: .live)
        let found = registry.conflicts(third, [other, demo], limit: 10)
        #expect(found.map(\.application) == [first, first, second])
        #expect(found.map(\.scheme) == [other, demo, demo])
        #expect(registry.conflicts(third, [other, demo], limit: 2).count == 2)
        #expect(registry.conflicts(first, [URLScheme("unclaimed")], limit: 10).isEmpty)
    }
}
