import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct PolicyTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    @Test func policiesSurvive_I1() async throws {
        let store = try place.open()
        let (one, two) = (ApplicationID("demo.One"), ApplicationID("demo.Two"))
        let closed = AccessPolicy(allowsOthers: false, allowed: ["demo.A", "demo.B"], refused: ["demo.D", "demo.E"])
        let refusing = AccessPolicy(refused: ["demo.C"])
        try await store.commit { transaction in
            try transaction.registrations.setPolicy(refusing, of: one)
            try transaction.registrations.setPolicy(closed, of: one)
            try transaction.registrations.setPolicy(refusing, of: two)
        }
        let image = try Store.open(place.crashImage())
        let found = try await image.commit { try $0.registrations.policies() }
        #expect(found.policies == [one: closed, two: refusing] && found.damaged == 0)
        try await image.commit { try $0.registrations.setPolicy(AccessPolicy(), of: one) }
        #expect(try await image.commit { try $0.registrations.policies().policies } == [two: refusing])
        try await image.close()
        try await store.close()
    }

    @Test func damagedPolicyRejectsEverySource_I19() async throws {
        var store = try place.open()
        let (hit, safe) = (ApplicationID("demo.Hit"), ApplicationID("demo.Safe"))
        try await store.commit { transaction in
            try transaction.registrations.setPolicy(AccessPolicy(refused: ["demo.Refused"]), of: hit)
            try transaction.registrations.setPolicy(AccessPolicy(refused: ["demo.Other"]), of: safe)
        }
        try await store.close()
        var file = try place.bytes(place.database)
        let pattern = Array("demo.Refused".utf8)
        let start = try #require(
            file.indices.dropLast(pattern.count).first { file[$0..<$0 + pattern.count].elementsEqual(pattern) })
        file[start + 6] ^= 1
        try place.write(file, to: place.database)
        store = try place.open()
        let found = try await store.commit { try $0.registrations.policies() }
        #expect(found.damaged == 1)
        let source = Source(application: "demo.Refused", strength: .owned)
        #expect(found.policies[hit]?.allows(source) == false)
        #expect(found.policies[safe]?.allows(source) == true)
        try await store.commit { try $0.registrations.setPolicy(AccessPolicy(refused: ["demo.New"]), of: hit) }
        #expect(try await store.commit { try $0.registrations.policies() }.damaged == 0)
        try await store.close()
    }
}
