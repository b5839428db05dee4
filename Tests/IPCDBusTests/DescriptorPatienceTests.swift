import Testing

@testable import IPCDBus

/// How long a link waits if the system accepts no more descriptors.
@DBusActor
struct DescriptorPatienceTests {
    @Test func `a message waits for 100 ms, and those behind it do not wait another 100 ms`() async throws {
        var patience = DescriptorPatience()
        let start = ContinuousClock.now
        var attempts = 0
        while await Self.retry(&patience) { attempts += 1 }
        #expect(ContinuousClock.now - start >= DescriptorPatience.most)
        #expect(attempts > 0 && !patience.isWaiting)
        // After a wait that was in vain, the next message does not wait at all.
        #expect(!patience.waits {})
        #expect(!patience.isWaiting)
    }

    @Test func `after a message is sent, the next one has its own wait`() {
        var patience = DescriptorPatience()
        #expect(patience.waits {} && patience.isWaiting)
        patience.end()
        #expect(!patience.isWaiting)
        #expect(patience.waits {})
        patience.end()
    }

    @Test func `ending a wait cancels the next attempt`() async throws {
        var patience = DescriptorPatience()
        var attempts = 0
        #expect(patience.waits { attempts += 1 })
        patience.end()
        // Let the time of the next attempt pass. `end()` must have cancelled that attempt.
        let timer = DBusTimer()
        await withCheckedContinuation { continuation in
            timer.set(at: .now + DescriptorPatience.most) { continuation.resume() }
        }
        #expect(attempts == 0)
    }

    /// Waits for the next attempt; false if there is none.
    private static func retry(_ patience: inout DescriptorPatience) async -> Bool {
        var copy = patience
        defer { patience = copy }
        return await withCheckedContinuation { continuation in
            if !copy.waits({ continuation.resume(returning: true) }) { continuation.resume(returning: false) }
        }
    }
}
