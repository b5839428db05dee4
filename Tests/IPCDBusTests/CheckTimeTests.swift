import IPCDBusOracle
import IPCTesting
import Testing

@testable import IPCDBus

/// How long a message keeps all others waiting: no longer than its size justifies.
struct CheckTimeTests {
    /// A debug build takes about thirty times as long as a release build, so the size is small and the bound is
    /// generous. A time that grows with the depth of the types, or with the square of the length, exceeds it.
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
        // Rejected by its length alone: half a million elements are not examined.
        #expect(deep.milliseconds() < 5)
    }
}
