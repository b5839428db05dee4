import IPCModel
import IPCStore
import Synchronization
import Testing

@Suite(.serialized) struct DiskFaultTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    @Test func afterAFailedSyncNothingIsAcknowledged_I3() async throws {
        let faults = FaultCounter()
        let store = try place.open { $0.onFault = { _ in faults.count() } }
        try await store.put("kept", on: board)
        try #require(DiskFault.replace(place.database + "-wal", by: "/dev/null"))
        let answers = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask { [board] in
                    do {
                        try await store.put("lost \(number)", on: board)
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == [false: 50])
        await #expect(throws: StoreError.unavailable) { try await store.put("late", on: board) }
        await #expect(throws: StoreError.unavailable) { try await store.text(of: board) }
        await #expect(throws: (any Error).self) { try await store.close() }
        #expect(faults.value == 1)
        // The next start verifies the store, and everything acknowledged is there.
        let again = try Store.open(place.crashImage())
        #expect(!again.report.wasClean)
        #expect(try await again.text(of: board) == "kept")
        try await again.close()
    }
}

private final class FaultCounter: Sendable {
    private let counted = Mutex(0)

    var value: Int { counted.withLock { $0 } }

    func count() { counted.withLock { $0 += 1 } }
}
