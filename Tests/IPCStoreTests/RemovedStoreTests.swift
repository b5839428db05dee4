import Glibc
import IPCModel
import IPCStore
import IPCTesting
import Testing

/// I1: acknowledged content is there after the next start, even if the store was removed in the meantime.
@Suite struct RemovedStoreTests {
    private let place: TestPlace
    private let board = PasteboardName.named("a")
    private let other = PasteboardName.named("b")

    init() throws { place = try TestPlace() }

    @Test(arguments: [true, false])
    func changesToARemovedStoreAreRejected_I1(hadVolatile: Bool) async throws {
        let store = try Store.open(place.configuration())
        try await store.put("kept", on: board)
        if hadVolatile { try await store.put("in memory", on: other, persistent: false) }
        let path = place.configuration().directory
        _ = try await RunningProcess.run("rm", ["-r", path]).succeeded()
        for _ in 0..<3 {
            await #expect(throws: StoreError.removed(path: "\(path)/store.sqlite")) {
                try await store.put("lost", on: board)
            }
            // Remaining content can be read, and operations that need no disk continue.
            #expect(try await store.text(of: board) == "kept")
            try await store.put("still", on: other, persistent: false)
            #expect(try await store.text(of: other) == "still")
        }
        try await store.close()
        // The control: a store in the same place accepts what this one has rejected.
        let next = try Store.open(place.configuration())
        try await next.put("new", on: board)
        try await next.close()
    }

    @Test func aStoreKnowsThatItsDatabaseIsAnotherFile_I1() async throws {
        let store = try place.open()
        try await store.put("kept", on: board)
        // The control: nothing is wrong as long as the files are in their place.
        #expect(try await store.commit { $0.loss } == nil)
        let copy = place.path + "/copy"
        _ = try await RunningProcess.run("cp", [place.database, copy]).succeeded()
        _ = try await RunningProcess.run("mv", [copy, place.database]).succeeded()
        let loss = StoreError.replaced(path: place.database)
        #expect(try await store.commit { $0.loss } == loss)
        #expect(loss.description.contains("is now a different file"))
        await #expect(throws: loss) { try await store.put("lost", on: board) }
        #expect(try await store.text(of: board) == "kept")
        try await store.close()
    }
}
