import Glibc
import Testing

@testable import SceneManager

struct MemoryPressureTests {
    /// Uses urgent data on a socket, which raises POLLPRI just as the kernel does for memory pressure (unix(7),
    /// MSG_OOB).
    @Test func eachUrgentEventOfTheDescriptorIsReported() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        var events = MemoryPressure.events(of: ends[0]).makeAsyncIterator()
        try #require(send(ends[1], "!", 1, Int32(MSG_OOB)) == 1)
        #expect(await events.next() != nil)
        // Once the other end is closed, no more events can arrive, so the stream ends.
        close(ends[1])
        while await events.next() != nil {}
    }

    @Test func aDescriptorThatCannotBeWatchedEndsTheSequence() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        var events = MemoryPressure.events(of: ends[1]).makeAsyncIterator()
        #expect(await events.next() == nil, "a pipe without a reader is in error")
    }
}
