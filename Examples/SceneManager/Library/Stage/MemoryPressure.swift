internal import Dispatch
internal import Foundation
internal import Glibc

/// Reports when the machine is short of memory, through Linux's pressure stall information.
///
/// Source: <https://docs.kernel.org/accounting/psi.html>, “Monitoring for pressure thresholds”.
public enum MemoryPressure {
    /// Reports a shortage if tasks had to wait for memory for 200 ms within 2 s. Without privileges, the
    /// window must be a multiple of 2 s.
    private static let trigger = "some 200000 2000000"

    /// One element for each shortage of memory, at most one every 2 s. If the kernel does not report memory pressure,
    /// the stream ends at once; then scenes are released only by the order `release`.
    public static func events() -> AsyncStream<Void> {
        let descriptor = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return AsyncStream { $0.finish() } }
        // The kernel also expects the NUL at the end of the text.
        let isSet = trigger.withCString { write(descriptor, $0, strlen($0) + 1) } > 0
        guard isSet else {
            close(descriptor)
            return AsyncStream { $0.finish() }
        }
        return events(of: descriptor)
    }

    /// One element for each `POLLPRI` of the descriptor, which is closed when the stream is released.
    static func events(of descriptor: Int32) -> AsyncStream<Void> {
        var stop: [Int32] = [-1, -1]
        guard pipe(&stop) == 0 else { return AsyncStream { $0.finish() } }
        let (stopped, stopper) = (stop[0], stop[1])
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in close(stopper) }
        // poll(2) blocks, and Dispatch has no source for POLLPRI.
        Thread.detachNewThread {
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0),
                pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&polled, 2, -1) >= 0 || errno == EINTR {
                guard polled[1].revents == 0, polled[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0 else {
                    break
                }
                if polled[0].revents & Int16(POLLPRI) != 0 { continuation.yield() }
            }
            continuation.finish()
            close(descriptor)
            close(stopped)
        }
        return events
    }
}
