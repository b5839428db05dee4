internal import CLinux

/// Threads that run one closure.
///
/// Not threads of libdispatch: after its first thread it checks its pools once a second for ever, and a broker without
/// work must sleep. So nothing in the store may start an asynchronous block, or a task without an executor.
enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread. The corresponding C function is `pthread_create`.
    /// - Parameter name: the system shows the first 15 bytes.
    /// - Returns: false if the process has no room for a thread.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(body))
        let error = clinux_start_thread(
            name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, argument.toOpaque())
        if error != 0 { argument.release() }
        return error == 0
    }
}
