import IPCModel
import IPCTesting
import Testing

@testable import IPCStore

/// Tests of the turns of large writes (``LargeWrites``).
@Suite(.timeLimit(.minutes(1)))
struct LargeWritesTests {
    @Test func `I15: large writes run one at a time, in order of arrival`() async throws {
        let writes = LargeWrites()
        let (gates, begun) = ((0..<3).map { _ in Collected<Void>() }, Collected<Int>())
        let tasks = gates.enumerated().map { number, gate in
            Task.immediate {
                try await writes.alone {
                    begun.add(number)
                    _ = try await gate.wait(for: 1)
                }
            }
        }
        for number in 0..<3 {
            #expect(try await begun.wait(for: number + 1) == Array(0...number))
            gates[number].add(())
        }
        for task in tasks { try await task.value }
    }

    @Test func `a large write that fails lets the next one run`() async throws {
        let writes = LargeWrites()
        await #expect(throws: CancellationError.self) { try await writes.alone { throw CancellationError() } }
        #expect(await writes.alone { 7 } == 7)
    }

    @Test(arguments: [(1, 64 << 10, true), (1, 64 << 10 + 1, false), (256, 1, true), (257, 1, false)])
    func `a write is small up to 64 KiB and 256 values`(values: Int, bytes: Int, isSmall: Bool) throws {
        let value = Representation(type: try ContentType("a/b"), value: .bytes([UInt8](repeating: 0, count: bytes)))
        let items = try (0..<values).map { _ in try PasteboardItem([value]) }
        #expect(items.areSmall == isSmall)
    }
}
