import Testing

@testable import SceneManager

@MainActor
struct StateKeeperTests {
    private struct Full: Error {}

    /// A simulated disk, which can be full.
    @MainActor
    private final class Disk {
        var writes: [String] = []
        var isFull = false
        private var isBusy = false

        func write(_ addresses: [SceneAddress]) async throws {
            #expect(!isBusy, "one write at a time")
            isBusy = true
            for _ in 0..<3 { await Task.yield() }
            isBusy = false
            if isFull { throw Full() }
            writes.append(addresses.map(\.name).joined())
        }
    }

    private let disk = Disk()

    @Test func everyWaiterResumesAndTheLastStateIsSaved() async throws {
        let keeper = StateKeeper { [disk] in try await disk.write($0) }
        let names = (0..<50).map { "s\($0)" }
        let waits = names.map { name in Task { try await keeper.keep([SceneAddress(name)]) } }
        for wait in waits { try await wait.value }
        #expect(disk.writes.last == "s49")
        #expect(disk.writes.count < 10, "states that are replaced before they are written are skipped: \(disk.writes)")
    }

    @Test func savedStateIsNotWrittenAgain() async throws {
        let keeper = StateKeeper { [disk] in try await disk.write($0) }
        try await keeper.keep([SceneAddress("a")])
        try await keeper.keep([SceneAddress("a")])
        #expect(disk.writes == ["a"])
        try await keeper.keep([SceneAddress("b")])
        #expect(disk.writes == ["a", "b"])
    }

    @Test func aFailureIsReportedAndTheNextTryStartsFresh() async throws {
        let keeper = StateKeeper { [disk] in try await disk.write($0) }
        disk.isFull = true
        await #expect(throws: Full.self) { try await keeper.keep([SceneAddress("a")]) }
        disk.isFull = false
        try await keeper.keep([SceneAddress("a")])
        #expect(disk.writes == ["a"])
    }
}
