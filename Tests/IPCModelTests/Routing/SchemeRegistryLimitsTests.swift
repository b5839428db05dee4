import IPCModel
import Testing

@Suite("SchemeRegistry: limits and pages")
struct SchemeRegistryLimitsTests {
    private let application: ApplicationID
    private let other: ApplicationID

    init() throws {
        application = ApplicationID("demo.First")
        other = ApplicationID("demo.Second")
    }

    private func schemes(_ range: Range<Int>) throws -> [URLScheme] {
        try range.map { try URLScheme("s\($0)") }
    }

    @Test("An application claims exactly as many schemes as its limit, and repeated claims count once")
    func perApplication() throws {
        var limits = Limits()
        limits.schemesPerApplication = 3
        var registry = SchemeRegistry(limits: limits)
        _ = try registry.register(application, schemes(0..<2), kind: .live)
        let exceeded = LimitExceeded(limit: "schemes-per-application", use: 2, request: 2, allowed: 3)
        let error = #expect(throws: exceeded) {
            try registry.register(application, schemes(0..<4), kind: .live)
        }
        if let error { expectSentence(error) }
        #expect(registry.claimCount == 2, "all or none")
        _ = try registry.register(application, schemes(0..<3) + schemes(0..<3), kind: .persistent)
        #expect(registry.claimCount == 3)
        #expect(throws: LimitExceeded.self) { try registry.register(application, schemes(3..<4), kind: .live) }
        _ = registry.unregister(application, try schemes(0..<1))
        _ = try registry.register(application, schemes(3..<4), kind: .live)
    }

    @Test("All applications together claim at most as many schemes as the limit")
    func inAll() throws {
        var limits = Limits()
        limits.schemes = 3
        var registry = SchemeRegistry(limits: limits)
        _ = try registry.register(application, schemes(0..<2), kind: .live)
        let exceeded = LimitExceeded(limit: "schemes", use: 2, request: 2, allowed: 3)
        #expect(throws: exceeded) {
            try registry.register(other, schemes(0..<2), kind: .live)
        }
        _ = try registry.register(other, schemes(0..<1), kind: .live)
        _ = registry.unregister(application, [], kinds: [.live])
        _ = try registry.register(other, schemes(1..<3), kind: .live)
    }

    @Test("The user's choices are limited too, but changing or removing one is always possible")
    func defaults() throws {
        var limits = Limits()
        limits.schemeDefaults = 1
        var registry = SchemeRegistry(limits: limits)
        let schemes = try schemes(0..<2)
        _ = try registry.setDefault(schemes[0], application)
        let exceeded = LimitExceeded(limit: "scheme-defaults", use: 1, request: 1, allowed: 1)
        #expect(throws: exceeded) {
            try registry.setDefault(schemes[1], application)
        }
        _ = try registry.setDefault(schemes[0], other)
        _ = try registry.setDefault(schemes[1], nil)
        _ = try registry.setDefault(schemes[0], nil)
        _ = try registry.setDefault(schemes[1], application)
        #expect(registry.defaultCount == 1)
    }

    @Test("Pages of all schemes follow one another in order, each scheme once", arguments: [1, 7, 100, 1_000])
    func pages(size: Int) throws {
        var limits = Limits()
        limits.schemesPerApplication = 2_000
        var registry = SchemeRegistry(limits: limits)
        _ = try registry.register(application, schemes(0..<1_500), kind: .live)
        _ = try registry.register(other, schemes(1_000..<1_600), kind: .live)
        var found: [SchemeClaim] = []
        while case let page = registry.handlers(after: found.last?.scheme, limit: size), !page.isEmpty {
            #expect(page.count <= size)
            found += page
        }
        #expect(found.map(\.scheme) == (try schemes(0..<1_600)).sorted())
        #expect(found.filter { $0.application == other }.count == 100)
    }

    @Test("The claims on one scheme are listed by age")
    func claimsOfOne() throws {
        var registry = SchemeRegistry()
        let scheme = URLScheme("s")
        let ids = try (0..<25).map { try ApplicationID("demo.App\($0)") }
        for id in ids.reversed() { _ = try registry.register(id, [scheme], kind: .live) }
        #expect(registry.claims(on: scheme).map(\.application) == ids.reversed())
    }
}
