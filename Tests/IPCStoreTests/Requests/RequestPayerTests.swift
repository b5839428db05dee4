import IPCModel
import IPCStore
import Testing

/// Records are kept per payer: no program can cause another program's records to be forgotten.
@Suite(.serialized) struct RequestPayerTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private func record(_ strength: SourceStrength, _ caller: String, named application: String = "demo.Owner")
        -> RequestRecord
    {
        RequestRecord(
            id: .random(), arguments: ContentDigest(of: [1]),
            source: Source(application: application, strength: strength),
            caller: caller, application: "demo.Handler", url: "demo:x", accepted: 1)
    }

    private func end(_ requests: [RequestRecord], in store: Store) async throws {
        for request in requests {
            try await store.commit { transaction in
                _ = try transaction.requests.begin(request)
                _ = try transaction.requests.finish(request.id, RequestEnd(.handled))
            }
        }
    }

    private func kept(_ requests: [RequestRecord], in store: Store) async throws -> Int {
        try await store.commit { transaction in try requests.count { try transaction.requests.record($0.id) != nil } }
    }

    @Test func `I6: a sender that claims an application's name cannot evict that application's records`()
        async throws
    {
        var store = try place.open { $0.limits.endedRequestsKept = 5 }
        let own = [record(.owned, ":1.1@bus 1-1")]
        let claimed = [record(.claimed, ":1.2@bus 2-2")]
        let stranger = (0..<40).map { record(.claimed, ":1.\($0 + 10)@bus 3-3") }
        try await end(own + claimed + stranger, in: store)
        for round in 0..<2 {
            #expect(try await kept(own, in: store) == 1)
            #expect(
                try await kept(claimed, in: store) == 1,
                "a process that claims the application's name keeps its own record")
            #expect(try await kept(stranger, in: store) == 5 - round)
            // After a restart, the records are counted in the same way.
            try await store.close()
            store = try place.open { $0.limits.endedRequestsKept = 5 }
            try await end([record(.claimed, ":1.99@bus 3-3")], in: store)
        }
        try await store.close()
    }

    @Test func `among unattested payers, the one with the most records loses them first`() async throws {
        let store = try place.open { $0.limits.endedRequestsKept = 10 }
        let few = (0..<8).map { record(.unknown, ":1.\($0)@bus \($0)-1", named: "") }
        try await end(few, in: store)
        let many = (0..<5).map { payer in (0..<10).map { _ in record(.claimed, ":2.\(payer)@bus \(payer)-2") } }
        for requests in many { try await end(requests, in: store) }
        #expect(try await kept(few, in: store) == 8)
        let left = try await kept(many.flatMap { $0 }, in: store)
        // Unattested payers together keep at most four times as many records as one payer may keep. When they exceed
        // that, more records are deleted than necessary.
        #expect((15...32).contains(left), "\(left)")
        // The control: an application whose id the bus attests keeps all of its records.
        let owned = (0..<10).map { _ in record(.owned, ":3.1@bus 9-9") }
        try await end(owned, in: store)
        #expect(try await kept(owned, in: store) == 10)
        try await store.close()
    }

    @Test func `records of many processes that end in one group stay within the bound`() async throws {
        let store = try place.open { $0.limits.endedRequestsKept = 10 }
        let requests = (0..<300).map { record(.unknown, ":1.\($0)@bus \($0)-1", named: "") }
        try await store.commit { transaction in
            for request in requests {
                _ = try transaction.requests.begin(request)
                _ = try transaction.requests.finish(request.id, RequestEnd(.handled))
            }
        }
        let left = try await kept(requests, in: store)
        #expect((1...40).contains(left), "\(left)")
        try await store.close()
    }

    @Test func `a record of an earlier version names its connection alone`() {
        #expect(record(.claimed, ":1.1@bus").payer.text == ":1.1@bus")
        #expect(record(.claimed, ":1.1@bus 7-8").payer.text == "7-8")
        #expect(record(.claimed, "").payer.text == "demo.Owner")
        #expect(record(.owned, ":1.1@bus 7-8").payer.text == "demo.Owner")
    }
}
