internal import Foundation
internal import Glibc

/// Reports when the machine is short of memory, through Linux's pressure stall information.
///
/// Source: <https://docs.kernel.org/accounting/psi.html>, “Monitoring for pressure thresholds”.
enum MemoryPressure {
    /// Reports a shortage if tasks had to wait for memory for 200 ms within 2 s. Without privileges, the
    /// window must be a multiple of 2 s.
    private static let trigger = "some 200000 2000000"

    /// One element for each shortage of memory, at most one every 2 s. If the kernel does not report memory pressure,
    /// the stream ends at once; then scenes are released only by the order `release`.
    static func events() -> AsyncStream<Void> {
        let descriptor = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        // The kernel also expects the NUL at the end of the text. If this fails, poll(2) reports an error.
        trigger.withCString { _ = write(descriptor, $0, strlen($0) + 1) }
        return events(of: descriptor)
    }

    /// One element for each `POLLPRI` of a descriptor, until the process exits or the descriptor is in error.
    static func events(of descriptor: Int32) -> AsyncStream<Void> {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // poll(2) blocks, and Dispatch has no source for POLLPRI.
        Thread.detachNewThread {
            var polled = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
            while descriptor >= 0, poll(&polled, 1, -1) >= 0 || errno == EINTR {
                guard polled.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0 else { break }
                if polled.revents & Int16(POLLPRI) != 0 { continuation.yield() }
            }
            continuation.finish()
        }
        return events
    }
}
