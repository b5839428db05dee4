import IPCModel
import IPCStore
import IPCTesting
import Testing

/// Operations that are started with a closure, and the hand-over of their answers.
@Suite(.serialized) struct HandOverTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// The number of answers handed over together, and the answers in order.
    private struct Handed {
        let sizes = Collected<Int>()
        let answers = Collected<String>()

        func open(_ place: TestPlace, lingerMilliseconds: UInt64 = 3_600_000) throws -> Store {
            let sizes = sizes
            return try place.open { configuration in
                configuration.lingerMilliseconds = lingerMilliseconds
                configuration.handOver = { answers in
                    sizes.add(answers.count)
                    for answer in answers { answer() }
                }
            }
        }

        func note<Value>(_ word: String) -> @Sendable (Result<Value, any Error>) -> Void {
            let answers = answers
            return { result in
                switch result {
                case .success: answers.add(word)
                case .failure(let error): answers.add("\(word): \(error)")
                }
            }
        }
    }

    @Test func answersComeInTheOrderOfTheOperations() async throws {
        let handed = Handed()
        let store = try handed.open(place)
        try await store.put("first", on: board)
        let board = board
        for number in 0..<200 {
            store.commit({ try $0.setItems([.string("\(number)")], on: board) }, then: handed.note("\(number)"))
        }
        #expect(try await handed.answers.wait(for: 200) == (0..<200).map { "\($0)" })
        let sizes = handed.sizes.elements
        #expect(sizes.reduce(0, +) == 200 && sizes.count < 150, "many are handed over together: \(sizes)")
        #expect(try await store.text(of: board) == "199")
        try await store.close()
    }

    @Test func stagedOperationIsAnsweredBeforeTheDisk_andACommitAfterIt_I1() async throws {
        let handed = Handed()
        let store = try handed.open(place)
        try await store.put("first", on: board)
        let (before, board) = (store.statistics.snapshot.commits, board)
        _ = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        #expect(store.statistics.snapshot.commits == before)
        let atAnswer = Collected<String?>()
        let place = place
        // Copies the files as a power failure would leave them at the moment when the answer arrives.
        store.commit({ _ in }, then: { _ in atAnswer.add(try? place.crashImage().directory) })
        let image = try Store.open(place.configuration(try #require(try await atAnswer.wait(for: 1).first ?? nil)))
        #expect(try await image.text(of: board) == "staged")
        try await image.close()
        try await store.close()
    }

    @Test func rejectedOperationIsAnsweredToo() async throws {
        let handed = Handed()
        let store = try handed.open(place)
        let count = try await store.put("first", on: board)
        let (board, options) = (board, WriteOptions(ifChangeCount: count + 1))
        store.commit({ try $0.setItems([.string("x")], on: board, options) }, then: handed.note("refused"))
        let mismatch = PasteboardError.changeCountMismatch(expected: count + 1, actual: count)
        #expect(try await handed.answers.wait(for: 1) == ["refused: \(mismatch)"])
        try await store.close()
        store.commit({ _ in }, then: handed.note("closed"))
        #expect(try await handed.answers.wait(for: 2).last == "closed: \(StoreError.unavailable)")
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
    func operationThatDependsOnALostGroupIsRejected_I4() async throws {
        let (handed, disk) = (Handed(), try #require(SmallFileSystem()))
        var configuration = place.configuration(disk.path + "/store")
        configuration.lingerMilliseconds = 3_600_000
        let store = try Store.open(configuration)
        try await store.put("kept", on: board)
        disk.fill()
        let board = board
        let group = try await store.stage { try $0.setItems([.string("lost")], on: board) }.group
        store.commit({ try $0.require(group) }, then: handed.note("while full"))
        #expect(try await handed.answers.wait(for: 1) == ["while full: \(StoreError.noSpace)"])
        disk.empty()
        store.commit({ try $0.require(group) }, then: handed.note("later"))
        #expect(try await handed.answers.wait(for: 2).last == "later: \(StoreError.noSpace)")
        #expect(try await store.text(of: board) == "kept")
        try await store.close()
    }
}
