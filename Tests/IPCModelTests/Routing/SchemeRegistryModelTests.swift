import IPCModel
import IPCTesting
import Testing

/// A naive implementation of the documented rule: a list of claims that is searched from start to end.
private struct NaiveRegistry {
    struct Claim {
        let application: ApplicationID
        let scheme: URLScheme
        let kind: SchemeClaim.Kind
    }

    /// All claims, in the order in which they were made.
    var claims: [Claim] = []
    var defaults: [URLScheme: ApplicationID] = [:]

    func handler(of scheme: URLScheme) -> ApplicationID? {
        let candidates = claims.filter { $0.scheme == scheme }
        if let chosen = defaults[scheme], candidates.contains(where: { $0.application == chosen }) { return chosen }
        return (candidates.first { $0.kind != .live } ?? candidates.first)?.application
    }

    func holds(_ application: ApplicationID, _ scheme: URLScheme, _ kind: SchemeClaim.Kind) -> Bool {
        claims.contains { $0.application == application && $0.scheme == scheme && $0.kind == kind }
    }
}

@Suite("SchemeRegistry against a naive model")
struct SchemeRegistryModelTests {
    private enum Operation: CaseIterable {
        case register, unregister, unregisterAll, releaseLive, setDefault, forgetDefault
    }

    private let applications: [ApplicationID]
    private let schemes: [URLScheme]

    init() throws {
        applications = try (0..<6).map { try ApplicationID("demo.App\($0)") }
        schemes = try (0..<8).map { try URLScheme($0.isMultiple(of: 2) ? "Scheme\($0)" : "scheme\($0)") }
    }

    @Test("Handlers and changes match the model", arguments: 1...8 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var registry = SchemeRegistry()
        var model = NaiveRegistry()
        for _ in 0..<1_000 {
            let before = schemes.map { model.handler(of: $0) }
            let changes = try step(&registry, &model, using: &generator)
            var expected: Set<SchemeChange> = []
            for (scheme, old) in zip(schemes, before) {
                let new = model.handler(of: scheme)
                if old != new { expected.insert(SchemeChange(scheme: scheme, old: old, new: new)) }
            }
            try #require(Set(changes) == expected && changes.count == expected.count)
            try compare(registry, model)
        }
    }

    private func step(
        _ registry: inout SchemeRegistry, _ model: inout NaiveRegistry, using generator: inout SeededGenerator
    ) throws -> [SchemeChange] {
        let application = applications[Int.random(in: 0..<applications.count, using: &generator)]
        let scheme = schemes[Int.random(in: 0..<schemes.count, using: &generator)]
        let list = schemes.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 } + [scheme]
        switch Operation.allCases.randomElement(using: &generator) ?? .register {
        case .register:
            let kind = SchemeClaim.Kind.allCases.randomElement(using: &generator) ?? .live
            for scheme in list where !model.holds(application, scheme, kind) {
                model.claims.append(.init(application: application, scheme: scheme, kind: kind))
            }
            return try registry.register(application, list, kind: kind)
        case .unregister:
            model.claims.removeAll {
                $0.application == application && list.contains($0.scheme) && $0.kind != .installed
            }
            return registry.unregister(application, list)
        case .unregisterAll:
            model.claims.removeAll { $0.application == application }
            return registry.unregister(application, [], kinds: Set(SchemeClaim.Kind.allCases))
        case .releaseLive:
            model.claims.removeAll { $0.application == application && $0.kind == .live }
            return registry.unregister(application, [], kinds: [.live])
        case .setDefault:
            model.defaults[scheme] = application
            return try registry.setDefault(scheme, application).map { [$0] } ?? []
        case .forgetDefault:
            model.defaults[scheme] = nil
            return try registry.setDefault(scheme, nil).map { [$0] } ?? []
        }
    }

    private func compare(_ registry: SchemeRegistry, _ model: NaiveRegistry) throws {
        for scheme in schemes {
            try #require(registry.handler(of: scheme)?.application == model.handler(of: scheme))
            try #require(registry.defaultApplication(of: scheme) == model.defaults[scheme])
            for application in applications {
                let kinds = SchemeClaim.Kind.allCases.filter { model.holds(application, scheme, $0) }
                try #require(registry.claim(of: application, on: scheme)?.kinds ?? [] == kinds)
            }
        }
        let pairs = Set(model.claims.map { "\($0.application) \($0.scheme.canonical)" })
        try #require(registry.claimCount == pairs.count)
        try #require(registry.defaultCount == model.defaults.count)
        let claimed = Set(model.claims.map(\.scheme)).sorted()
        try #require(registry.handlers(limit: claimed.count).map(\.scheme) == claimed)
        try #require(registry.handlers(limit: .max).count == claimed.count)
    }
}
