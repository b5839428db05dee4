private import CLinux
internal import Glibc

/// Writes a byte to a pipe for each signal to stop, because a signal handler can do little more than write. A signal
/// that was ignored when the process started (`nohup`, background jobs) stays ignored.
package enum SignalArrivals {
    package static let numbers = [SIGTERM, SIGINT, SIGHUP]

    /// The read end of the pipe, which receives one byte per signal, with the signal's number.
    package static var descriptor: CInt { ends.reading }

    private static let ends: (reading: CInt, writing: CInt) = {
        var pair: [CInt] = [-1, -1]
        guard pipe(&pair) == 0 else { fatalError("pipe: \(String(cString: strerror(errno)))") }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A signal handler must not block. If the pipe is full, another signal makes no difference.
        _ = fcntl(pair[1], F_SETFL, O_NONBLOCK)
        return (pair[0], pair[1])
    }()

    /// Starts to receive signals, which then no longer kill the process.
    package static func begin() {
        // Create the pipe here, because a signal handler must not do so.
        _ = descriptor
        for number in numbers where clinux_is_ignored(number) == 0 { signal(number) { SignalArrivals.add($0) } }
    }

    /// Lets the next signal kill the process.
    package static func leaveToSystem() {
        for number in numbers where clinux_is_ignored(number) == 0 { signal(number, SIG_DFL) }
    }

    /// Writes a byte from within a signal handler: it does only what signal-safety(7) allows.
    package static func add(_ number: CInt) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(ends.writing, &byte, 1)
        errno = before
    }

    /// Unblocks the signals in the calling thread. The threads of Swift's pool and of Dispatch block them.
    package static func admit() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
