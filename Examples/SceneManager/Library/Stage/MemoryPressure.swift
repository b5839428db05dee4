internal import Dispatch
internal import Foundation
internal import Glibc

/// Tells when the machine is short of memory, by Linux's pressure stall information.
///
/// Source: <https://docs.kernel.org/accounting/psi.html>, “Monitoring for pressure thresholds”.
public enum MemoryPressure {
    /// Some task had to wait for memory 200 ms within 2 s. Windows of 2 s are what a program without rights may ask for.
    private static let trigger = "some 200000 2000000"

    /// An element each time; at most one in 2 s. It ends at once where the kernel gives no such information, and then only
    /// a call lets scenes go.
    public static func events() -> AsyncStream<Void> {
        let descriptor = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return AsyncStream { $0.finish() } }
        // The zero at its end belongs to what is written.
        let isSet = trigger.withCString { write(descriptor, $0, strlen($0) + 1) } > 0
        guard isSet else {
            close(descriptor)
            return AsyncStream { $0.finish() }
        }
        return events(of: descriptor)
    }

    /// An element each time that the descriptor has a `POLLPRI`, until the sequence is let go; then it is closed.
    static func events(of descriptor: Int32) -> AsyncStream<Void> {
        var stop: [Int32] = [-1, -1]
        guard pipe(&stop) == 0 else { return AsyncStream { $0.finish() } }
        let (stopped, stopper) = (stop[0], stop[1])
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in close(stopper) }
        // poll(2) waits, and Dispatch has no source for POLLPRI.
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
