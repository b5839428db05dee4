internal import Glibc
package import IPCModel

package struct StoreConfiguration: Sendable {
    /// Created with its parents if it is missing.
    package var directory: String
    package var limits = Limits()
    /// Milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    /// Milliseconds since the system was started, with its sleep: the clock of deadlines.
    package var uptime: @Sendable () -> UInt64 = SystemClock.uptimeMilliseconds
    /// Milliseconds after which staged operations go to the disk without a commit.
    package var lingerMilliseconds: UInt64 = 5
    /// How long a group waits for other requests that are with their handlers.
    package var gatherMicroseconds: UInt64 = 1_000
    /// The limit of remembered calls; the oldest are forgotten first.
    package var operationsKept = 100_000
    /// Receives the pasteboards that moved, in the order of the change counts: after their changes are on the disk, and
    /// before their callers are answered. Called on the store's thread, or where ``whenIdle`` runs.
    package var onChange: @Sendable ([PasteboardMove]) -> Void = { _ in }
    /// Runs the answers to closures, in their order. Called on the store's thread with all that are due, or where an
    /// operation is refused at once.
    package var handOver: @Sendable ([@Sendable () -> Void]) -> Void = { for answer in $0 { answer() } }
    /// Runs a closure when the thread that adds operations has nothing else to do: that thread may then run an operation
    /// without the store's thread. Called on it; nil if no other thread may run operations.
    package var whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// The executor of the store's own tasks; nil for Swift's pool.
    package var executor: (any TaskExecutor)?
    /// Called once on the store's thread when the disk has failed.
    package var onFault: @Sendable (any Error) -> Void = { _ in }
    /// Called on the flush thread before each flush.
    package var willFlush: @Sendable () -> Void = {}
    /// Called on the remover's thread before it removes the blobs of a group.
    package var willRemove: @Sendable () -> Void = {}
    #if DEBUG
        /// Breaks a promise, for tests that must notice it. Release programs have no controls.
        package var control: Control?

        package enum Control: String, Sendable, CaseIterable {
            /// Answers come before the commit, which waits until 10 ms after the next operation.
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

    /// Milliseconds since the system was started, with its sleep; this clock is never set.
    package static func uptimeMilliseconds() -> UInt64 { milliseconds(of: CLOCK_BOOTTIME) }

    /// The corresponding C function is `clock_gettime`.
    private static func milliseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
