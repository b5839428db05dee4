internal import Glibc
package import IPCModel

/// How a store is opened.
package struct StoreConfiguration: Sendable {
    /// The directory of the store; made where it is missing, together with its parents.
    package var directory: String
    /// The limits that the store itself holds.
    package var limits = Limits()
    /// Milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    /// Milliseconds since the system was started, its sleep among them: what a time-to-live is measured by.
    package var uptime: @Sendable () -> UInt64 = SystemClock.uptimeMilliseconds
    /// Milliseconds after which what was only staged goes to the disk where no commit takes it along before.
    package var lingerMilliseconds: UInt64 = 5
    /// How long what waits for the disk lets other requests join it, while more of them are on their way.
    package var gatherMicroseconds: UInt64 = 1_000
    /// The most calls with an id that are remembered at a time; the oldest go first.
    package var operationsKept = 100_000
    /// Called on the store's own thread, or where ``whenIdle`` runs, with the pasteboards that moved, after their changes are
    /// on the disk and before the callers are answered; in the order of the change counts.
    package var onChange: @Sendable ([PasteboardMove]) -> Void = { _ in }
    /// Runs the answers to operations that were begun with a closure, in their order. Called with those that are due at
    /// the same time, on the store's own thread, or where an operation is refused at once.
    package var handOver: @Sendable ([@Sendable () -> Void]) -> Void = { for answer in $0 { answer() } }
    /// Runs a closure as soon as the thread that adds operations has nothing else to do: what that thread then may do itself
    /// rather than wake the store's. Called on that thread; nil where no other thread may work in the store.
    package var whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Where the store's own tasks run; nil for Swift's pool.
    package var executor: (any TaskExecutor)?
    /// Called once, on the store's own thread, when the disk has failed and nothing more is acknowledged.
    package var onFault: @Sendable (any Error) -> Void = { _ in }
    /// Called on the thread that waits for the disk in the place of the store's, before it does.
    package var willFlush: @Sendable () -> Void = {}
    /// Called on the thread that removes blobs before it removes those of a group.
    package var willRemove: @Sendable () -> Void = {}
    #if DEBUG
        /// Breaks a promise on purpose, for tests that show that they would notice. Release programs have none.
        package var control: Control?

        /// What a test can break.
        package enum Control: String, Sendable, CaseIterable {
            /// Answers come before the commit, and the commit is held back until 10 ms after the next operation comes.
            case acknowledgeBeforeCommit = "acknowledge-before-commit"
            /// A commit does not wait for the disk.
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

/// The clock of the system.
package enum SystemClock {
    /// Milliseconds since 1970. The corresponding C function is `clock_gettime` with `CLOCK_REALTIME`.
    package static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds since the system was started, its sleep among them; nobody sets this clock. The corresponding C
    /// function is `clock_gettime` with `CLOCK_BOOTTIME`.
    package static func uptimeMilliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
