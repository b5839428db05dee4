internal import Glibc
package import IPCModel

package struct StoreConfiguration: Sendable {
    /// The store's directory. It is created, with its parents, if it is missing.
    package var directory: String
    package var limits = Limits()
    /// Whether to wait until another process has closed the store, instead of failing with `StoreError.inUse`.
    package var waitsForLock = false
    /// The wall-clock time, in milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    /// The clock for deadlines: milliseconds since boot, including time asleep.
    package var uptime: @Sendable () -> UInt64 = SystemClock.uptimeMilliseconds
    /// How long staged operations wait for the commit of another operation, in milliseconds, before they are written.
    package var lingerMilliseconds: UInt64 = 5
    /// How long a commit is delayed, so that requests that handlers are still working on can end and join it.
    package var gatherMicroseconds: UInt64 = 1_000
    /// The maximum number of repeatable calls to remember; the oldest are forgotten first.
    package var operationsKept = 100_000
    /// Receives every change and removal of a pasteboard in the order of change counts, once it is on disk and before
    /// its caller is answered. Called on the store's thread, or on the thread that runs the closure of ``whenIdle``.
    package var onChange: @Sendable ([PasteboardMove]) -> Void = { _ in }
    /// Runs closures that answer callers, in order. Called on the store's thread with all answers that are ready, or on
    /// the caller's thread if its operation is rejected at once.
    package var handOver: @Sendable ([@Sendable () -> Void]) -> Void = { for answer in $0 { answer() } }
    /// Called on the thread that adds an operation: runs a closure on that thread once the thread has nothing else to
    /// do. The closure may run the operation without the store's thread. `nil` if that must never happen.
    package var whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// The executor for the store's own tasks; `nil` for Swift's default pool.
    package var executor: (any TaskExecutor)?
    /// Called once, on the store's thread, after the disk has failed.
    package var onFault: @Sendable (any Error) -> Void = { _ in }
    /// Called on the flush thread before each flush.
    package var willFlush: @Sendable () -> Void = {}
    /// Called on the thread that removes files, before it removes the blobs that a group of operations released.
    package var willRemove: @Sendable () -> Void = {}
    #if DEBUG
        /// A negative control: the guarantee that the store breaks on purpose, to check that the tests notice it.
        /// Release builds have no such property.
        package var control: Control?

        package enum Control: String, Sendable, CaseIterable {
            /// Callers are answered before the commit, which happens 10 ms after the next operation arrives.
            case acknowledgeBeforeCommit = "acknowledge-before-commit"
            /// Commits are not flushed to disk.
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
    package static func milliseconds() -> UInt64 { Timestamp.now.millisecondsSince1970 }

    /// Milliseconds since boot, including time asleep (`clock_gettime`). Setting the clock does not change them.
    package static func uptimeMilliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
