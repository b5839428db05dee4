internal import CLinux

/// Starts threads that each run one closure. These are not libdispatch threads: once libdispatch has started a thread,
/// it checks its pools every second forever, but an idle broker must sleep. So nothing in the store may start an
/// asynchronous block, or a task without an executor.
enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread. The corresponding C function is `pthread_create`.
    /// - Parameter name: the thread's name; the system shows only the first 15 bytes.
    /// - Returns: false if the thread cannot be started.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(body))
        let error = clinux_start_thread(
            name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, argument.toOpaque())
        if error != 0 { argument.release() }
        return error == 0
    }
}
