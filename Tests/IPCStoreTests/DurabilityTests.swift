import IPCModel
import IPCStore
import Testing

private struct Refusal: Error {}

@Suite(.serialized) struct DurabilityTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// Sets texts one after another, and checks after each answer that the text is on disk. Returns 0 if each of them
    /// was there, and 1 as soon as one was not.
    private func lost(_ control: StoreConfiguration.Control?) async throws -> Int {
        let store = try place.open { $0.control = control }
        try await store.put("first", on: board)
        var lost = 0
        for number in 0..<10 where lost == 0 {
            try await store.put("text \(number)", on: board)
            let image = try Store.open(place.crashImage("image-\(number)"))
            if try await image.text(of: board) != "text \(number)" { lost += 1 }
            try await image.close()
        }
        try await store.close()
        return lost
    }

    @Test func acknowledgedChangesAreInTheFiles_I1() async throws {
        #expect(try await lost(nil) == 0)
    }

    @Test func controlThatAnswersBeforeTheCommitIsFound_I1() async throws {
        #expect(try await lost(.acknowledgeBeforeCommit) > 0)
    }

    @Test func controlThatDoesNotWaitForTheDiskCanBeOpened() async throws {
        #expect(try await lost(.synchronousOff) == 0)
    }

    @Test func operationThatThrowsWritesNothing_I2() async throws {
        let store = try place.open()
        try await store.put("before", on: board)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.string("half")], on: board)
                _ = try transaction.createPasteboard(.named("b"), persistent: true)
                throw Refusal()
            }
        }
        #expect(try await store.text(of: board) == "before")
        #expect(try await store.commit { try $0.pasteboard(.named("b")) } == nil)
        #expect(try await store.commit { $0.usage().total.pasteboards } == 2)
        try await store.close()
    }

    @Test func operationThatThrowsDoesNotAffectItsGroup_I2() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("first", on: board)
        let others = (0..<20).map { PasteboardName.named("board \($0)") }
        // All these operations are in one group, which is not written to disk before the last call.
        for (index, name) in others.enumerated() {
            _ = try await store.stage { _ = try $0.createPasteboard(name, persistent: index % 2 == 0) }
            await #expect(throws: Refusal.self) {
                try await store.stage { transaction in
                    _ = try transaction.setItems([.string("half")], on: name)
                    _ = try transaction.setItems([.string("half")], on: board)
                    throw Refusal()
                }
            }
        }
        #expect(try await store.text(of: board) == "first")
        for name in others { #expect(try await store.text(of: name) == nil) }
        let image = try Store.open(place.crashImage())
        #expect(try await image.text(of: board) == "first")
        #expect(try await image.commit { $0.usage().total.pasteboards } == 12)
        try await image.close()
        try await store.close()
    }

    @Test func everyImageHoldsWholeOperations_I2() async throws {
        let store = try place.open()
        let pair = [PasteboardName.named("left"), .named("right")]
        try await store.commit { for name in pair { _ = try $0.createPasteboard(name, persistent: true) } }
        let writers = Task {
            for number in 0..<200 {
                try await store.commit { for name in pair { _ = try $0.setItems([.string("\(number)")], on: name) } }
            }
        }
        for number in 0..<20 {
            // The copy is made while the store is in use: first the database, then its log, which may therefore be
            // newer, as on a disk that writes the log first.
            let image = try Store.open(place.crashImage("pair-\(number)"))
            let texts = try await image.commit { transaction in
                try pair.map { try transaction.items(of: $0).items.first?.string }
            }
            #expect(texts[0] == texts[1])
            try await image.close()
        }
        try await writers.value
        try await store.close()
    }
}
