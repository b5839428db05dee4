internal import Glibc
package import IPCModel

package struct StoreConfiguration: Sendable {
    /// The store's directory. It is created, with its parents, if it is missing.
    package var directory: String
    package var limits = Limits()
    /// The wall-clock time, in milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    /// The clock for deadlines: milliseconds since boot, including time asleep.
    package var uptime: @Sendable () -> UInt64 = SystemClock.uptimeMilliseconds
    /// How long staged operations wait for a commit, in milliseconds, before they are written to disk without one.
    package var lingerMilliseconds: UInt64 = 5
    /// How long a group waits for requests that handlers are still working on.
    package var gatherMicroseconds: UInt64 = 1_000
    /// How many calls are remembered; the oldest are forgotten first.
    package var operationsKept = 100_000
    /// Receives the pasteboard moves in the order of their change counts, after the changes are on disk and before
    /// their callers are answered. Called on the store's thread, or on the thread of ``whenIdle``.
    package var onChange: @Sendable ([PasteboardMove]) -> Void = { _ in }
    /// Runs answers in order. Called on the store's thread with all answers that are due, or on the caller's thread if
    /// an operation is refused at once.
    package var handOver: @Sendable ([@Sendable () -> Void]) -> Void = { for answer in $0 { answer() } }
    /// Runs a closure once the thread that adds operations has nothing else to do. That thread may then run an
    /// operation itself, without the store's thread. Called on that thread; `nil` if that must never happen.
    package var whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// The executor for the store's own tasks; `nil` for Swift's default pool.
    package var executor: (any TaskExecutor)?
    /// Called once, on the store's thread, after the disk has failed.
    package var onFault: @Sendable (any Error) -> Void = { _ in }
    /// Called on the flush thread before each flush.
    package var willFlush: @Sendable () -> Void = {}
    /// Called on the remover's thread before it removes a group's blobs.
    package var willRemove: @Sendable () -> Void = {}
    #if DEBUG
        /// Breaks a promise on purpose, for tests that must notice it. Release builds have no controls.
        package var control: Control?

        package enum Control: String, Sendable, CaseIterable {
            /// Callers are answered before the commit, which happens 10 ms after the next operation arrives.
            case acknowledgeBeforeCommit = "acknowledge-before-commit"
            /// Commits are not flushed.
            case synchronousOff = "synchronous-off"
        }

        var answersBeforeCommit: Bool { control == .acknowledgeBeforeCommit }
        var waitsForDisk: Bool { control != .synchronousOff }
    #else
        var answersBeforeCommit: Bool { false }
        var waitsForDisk: Bool { true }
    #endif

    package init(directory: String, now: @escaping @Sendable () -> UInt64 = SystemClock.milliseconds) {
        self.directory = directory
        self.now = now
    }
}

package enum SystemClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> UInt64 { milliseconds(of: CLOCK_REALTIME) }

    /// Milliseconds since boot, including time asleep. This clock is never set.
    package static func uptimeMilliseconds() -> UInt64 { milliseconds(of: CLOCK_BOOTTIME) }

    /// The corresponding C function is `clock_gettime`.
    private static func milliseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
