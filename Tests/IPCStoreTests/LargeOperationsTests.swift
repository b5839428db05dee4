import IPCModel
import IPCTesting
import Testing

@testable import IPCStore

/// Tests of the turns of large operations (``LargeOperations``).
@Suite(.timeLimit(.minutes(1)))
struct LargeOperationsTests {
    @Test func `I15: large writes run one at a time, in order of arrival`() async throws {
        let writes = LargeOperations()
        let (gates, begun) = ((0..<3).map { _ in Collected<Void>() }, Collected<Int>())
        let tasks = gates.enumerated().map { number, gate in
            Task.immediate {
                try await writes.write {
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

    @Test func `I15: large reads run between the portions of a write, and other large writes after it`() async throws {
        let (operations, begun) = (LargeOperations(), Collected<String>())
        let gates = Dictionary(
            uniqueKeysWithValues: ["portion 1", "portion 2", "write", "read 1", "read 2"].map {
                ($0, Collected<Void>())
            })
        @Sendable func run(_ name: String) async throws {
            begun.add(name)
            _ = try await gates[name]?.wait(for: 1)
        }
        let portions = Task.immediate {
            var number = 0
            try await operations.writePortions {
                number += 1
                try await run("portion \(number)")
                return number < 2
            }
        }
        let others = [
            Task.immediate { try await operations.write { try await run("write") } },
            Task.immediate { try await operations.read { try await run("read 1") } },
            Task.immediate { try await operations.read { try await run("read 2") } },
        ]
        let expected = ["portion 1", "read 1", "portion 2", "read 2", "write"]
        for (place, name) in expected.enumerated() {
            #expect(try await begun.wait(for: place + 1) == Array(expected[...place]))
            gates[name]?.add(())
        }
        for task in [portions] + others { try await task.value }
    }

    @Test func `a large write that fails lets the next one run`() async throws {
        let writes = LargeOperations()
        await #expect(throws: CancellationError.self) { try await writes.write { throw CancellationError() } }
        #expect(await writes.write { 7 } == 7)
    }

    @Test(arguments: [(1, 64 << 10, true), (1, 64 << 10 + 1, false), (256, 1, true), (257, 1, false)])
    func `a write is small up to 64 KiB and 256 values`(values: Int, bytes: Int, isSmall: Bool) throws {
        let value = Representation(type: try ContentType("a/b"), value: .bytes([UInt8](repeating: 0, count: bytes)))
        let items = try (0..<values).map { _ in try PasteboardItem([value]) }
        #expect(items.areSmall == isSmall)
    }
}
