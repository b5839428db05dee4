internal import CLinux

/// Threads that are started for what they do, and end with it.
///
/// Not Dispatch's: from its first thread on libdispatch looks at its pools once a second, as long as the process lives, and a
/// broker without work is to sleep. Nothing in the store may start one: no asynchronous block, no task without an executor.
enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread; false where the process has no room for one. The corresponding C function is
    /// `pthread_create`.
    /// - Parameter name: the first 15 bytes are seen from outside.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(body))
        let error = clinux_start_thread(
            name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, argument.toOpaque())
        if error != 0 { argument.release() }
        return error == 0
    }
}
