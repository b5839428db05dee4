private import CLinux
internal import Glibc

/// The signals by which somebody asks a program to stop, as bytes in a pipe: a signal handler may do no more than write.
///
/// One that was ignored when the process started (`nohup`, a job in the background) stays ignored.
package enum SignalArrivals {
    /// What counts as such a request.
    package static let numbers = [SIGTERM, SIGINT, SIGHUP]

    /// A byte for each signal, its number, to be read by the one who listens.
    package static var descriptor: CInt { ends.reading }

    private static let ends: (reading: CInt, writing: CInt) = {
        var pair: [CInt] = [-1, -1]
        guard pipe(&pair) == 0 else { fatalError("pipe: \(String(cString: strerror(errno)))") }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not wait; what is full holds more signals than anybody counts.
        _ = fcntl(pair[1], F_SETFL, O_NONBLOCK)
        return (pair[0], pair[1])
    }()

    /// Has signals come in; they end the process no longer.
    package static func begin() {
        // Made here, and not within a handler.
        _ = descriptor
        for number in numbers where clinux_is_ignored(number) == 0 { signal(number) { SignalArrivals.add($0) } }
    }

    /// Lets the next signal end the process, as if nobody had listened.
    package static func leaveToSystem() {
        for number in numbers where clinux_is_ignored(number) == 0 { signal(number, SIG_DFL) }
    }

    /// Writes a byte as a signal handler does: no more than signal-safety(7) allows.
    package static func add(_ number: CInt) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(ends.writing, &byte, 1)
        errno = before
    }

    /// Lets the calling thread take signals: those of Swift's pool and of Dispatch do not.
    package static func admit() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
