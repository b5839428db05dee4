import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct RegistrationTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private func claim(_ application: String, _ scheme: String, window: UInt32 = 1) throws -> StoredClaim {
        StoredClaim(
            application: try ApplicationID(application), scheme: try URLScheme(scheme), window: window,
            takesDescriptors: true, time: place.clock.now)
    }

    @Test func claimsComeBackOldestFirst_I1() async throws {
        var store = try place.open()
        let claims = [try claim("z.A", "B.demo"), try claim("a.B", "b.Demo"), try claim("z.A", "c")]
        try await store.commit { for claim in claims { try $0.registrations.saveClaim(claim) } }
        // Repeating a claim changes its details, but it keeps its place in the order of age.
        let changed = try claim("z.A", "b.DEMO", window: 9)
        try await store.commit { try $0.registrations.saveClaim(changed) }
        try await store.close()
        store = try place.open()
        let found = try await store.commit { try $0.registrations.claims() }
        #expect(found.damaged == 0)
        #expect(found.claims == [changed] + claims[1...])
        #expect(found.claims.map(\.scheme.spelling) == ["b.DEMO", "b.Demo", "c"])
        try await store.commit { try $0.registrations.removeClaim(of: claims[2].application, on: URLScheme("C")) }
        try await store.commit { try $0.registrations.removeClaim(of: claims[1].application, on: claims[1].scheme) }
        #expect(try await store.commit { try $0.registrations.claims().claims } == [changed])
        try await store.close()
    }

    @Test func defaultCanBeChosenReplacedAndRemoved_I21() async throws {
        let store = try place.open()
        let (first, second) = (ApplicationID("a.A"), ApplicationID("b.B"))
        try await store.commit { try $0.registrations.setDefault(first, for: URLScheme("Demo")) }
        try await store.commit { try $0.registrations.setDefault(second, for: URLScheme("dEMO")) }
        try await store.commit { try $0.registrations.setDefault(first, for: URLScheme("other")) }
        let found = try await store.commit { try $0.registrations.defaults().defaults }
        #expect(found.map(\.application) == [second, first])
        try await store.commit { try $0.registrations.setDefault(nil, for: URLScheme("demo")) }
        #expect(
            try await store.commit { try $0.registrations.defaults().defaults.map(\.scheme.canonical) } == ["other"])
        try await store.close()
    }
}
