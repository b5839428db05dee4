import IPCDBusOracle
import IPCTesting
import Testing

@testable import IPCDBus

/// Checking a message must not keep all other clients waiting for longer than the size of the message justifies.
struct CheckTimeTests {
    /// The bound is generous and the size small, because a debug build takes about thirty times as long as a release
    /// build. A duration that grows with the nesting of the types, or with the square of the length, still exceeds the
    /// bound.
    @Test(arguments: CheckTimes.kinds)
    func `the time to check a message depends only on its length`(_ kind: CheckTimes.Kind) {
        let quarter = CheckTimes(kind, bytes: 64 << 10)
        let whole = CheckTimes(kind, bytes: 256 << 10)
        let (short, long) = (
            (0..<3).map { _ in quarter.milliseconds() }.min()!, (0..<3).map { _ in whole.milliseconds() }.min()!
        )
        #expect(long < max(1, short) * 10, "\(short) ms, \(long) ms")
        #expect(long < 2_000, "\(long) ms")
    }

    @Test func `deeply nested numbers cost no more than plain ones`() throws {
        let deep = CheckTimes(try #require(CheckTimes.kinds.first { "\($0)" == "a((…t…)) 31 deep" }), bytes: 4 << 20)
        // The message is rejected because of the array's length, before any of its half a million elements is examined.
        #expect(deep.milliseconds() < 5)
    }
}
