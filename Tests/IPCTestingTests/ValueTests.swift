import IPCTesting
import Testing

@Suite struct ValueTests {
    @Test func `the generator gives the numbers of SplitMix64`() {
        // Compare with the first outputs of the reference implementation for the seed 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
        #expect(expected.allSatisfy { $0 == generator.next() })
        #expect(generator.seed == 1_234_567)
    }

    @Test func `a temporary directory is private, and it is removed with its content`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = try #require(try directory?.makeDirectory("a/b")) + "/file"
        try FileContents.write("text", to: file)
        #expect(try FileContents.text(file) == "text")
        directory = nil
        #expect(!FileContents.exists(path))
    }

    @Test func `an observed value resumes its waiters and returns each element once`() async throws {
        let queue = Observed([Int]())
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await queue.wait { $0.isEmpty ? nil : $0.removeFirst() } } }
            for number in 0..<20 { queue.update { $0.append(number) } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(taken.sorted() == Array(0..<20))
    }

    @Test func `a wait ends with its task, and with its deadline`() async throws {
        let never = Observed(false)
        let task = Task { try await never.wait { $0 ? () : nil } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: DeadlineExceeded.self) {
            try await withDeadline("truth", limit: .milliseconds(20)) { try await never.wait { $0 ? () : nil } }
        }
    }

    @Test func `a tool that is not built is an error that says how to build it`() {
        #expect { try Binaries.path("no-such-tool") } throws: { "\($0)".contains("swift build --product no-such-tool") }
    }

    @Test func `the test size selects a value`() {
        #expect(TestSize.pick(small: 1, full: 2) == (TestSize.current == .small ? 1 : 2))
    }
}
