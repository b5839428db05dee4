import IPCModel
import IPCStore
import Testing

/// Change counts that are skipped.
@Suite(.serialized) struct SkipTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    @Test(arguments: [true, false])
    func laterChangesAreHigherAcrossRestartAndCrash_I11(crashes: Bool) async throws {
        var store = try place.open()
        let before = try await store.put("x", on: .named("a"))
        let skipped = before + 1_000_000_000
        #expect(try await store.commit { try $0.skipChangeCounts(to: skipped) } == skipped)
        // Skipping to a count that was already reached changes nothing.
        #expect(try await store.commit { try $0.skipChangeCounts(to: before) } == skipped)
        if crashes {
            let image = try place.crashImage()
            try await store.close()
            store = try Store.open(image)
        } else {
            #expect(try await store.put("y", on: .named("a")) == skipped + 1)
            try await store.close()
            store = try place.open()
        }
        let after = try await store.put("z", on: .named("a"))
        #expect(after > skipped + (crashes ? 0 : 1))
        #expect(try await store.commit { try $0.pasteboard(.named("a")) }?.versions.contains(before) == crashes)
        try await store.close()
    }

    @Test func failedSkipIsRolledBack_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        let before = try await store.put("x", on: .named("a"))
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.skipChangeCounts(to: before + 1_000_000)
                throw Refusal()
            }
        }
        #expect(try await store.put("y", on: .named("a")) == before + 1)
        try await store.close()
    }

    @Test func otherOperationsOfTheGroupGetLowerNumbers_I11() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        let first = try await store.put("x", on: .named("a"))
        let skip = try await store.stage { try $0.skipChangeCounts(to: 5_000_000) }
        var last = first
        for _ in 0..<100 {
            let count = try await store.stage { try $0.clear(.named("a")) }.value
            #expect(count > last && count < skip.value)
            last = count
        }
        #expect(try await store.put("y", on: .named("a")) > last)
        #expect(try await store.put("z", on: .named("a")) > skip.value)
        try await store.close()
    }

    @Test func skipsAreLimitedToHalfOfTheRange() async throws {
        let store = try place.open()
        let most: UInt64 = (1 << 43 - 1) / 2
        let error = await #expect(throws: IPCError.self) {
            try await store.commit { try $0.skipChangeCounts(to: most + 1) }
        }
        #expect(error?.code == .invalidArguments)
        #expect(try await store.commit { try $0.skipChangeCounts(to: most) } == most)
        #expect(try await store.put("x", on: .named("a")) > most)
        try await store.close()
    }
}
