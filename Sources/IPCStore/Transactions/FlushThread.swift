internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread that flushes a group while the store's thread runs the next group. It starts on the first flush.
final class FlushThread: Sendable {
    private enum State {
        case notStarted
        case idle
        case flushing(CInt, then: @Sendable (CInt) -> Void)
        case ending
    }

    private let willFlush: @Sendable () -> Void
    private let state = Mutex(State.notStarted)
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameter willFlush: called on the flush thread before each of its flushes.
    init(_ willFlush: @escaping @Sendable () -> Void) { self.willFlush = willFlush }

    /// Flushes a file on the flush thread, which then calls `then` with the error number, or 0. No other flush may be
    /// pending. If the flush thread cannot be started, the calling thread flushes the file and calls `then`.
    func flush(_ descriptor: CInt, then: @escaping @Sendable (CInt) -> Void) {
        let isNew = state.withLock { state in
            defer { state = .flushing(descriptor, then: then) }
            if case .notStarted = state { return true }
            return false
        }
        guard isNew else {
            wakeUp.signal()
            return
        }
        if !OwnThread.start("store-flush", { self.work() }) {
            state.withLock { $0 = .notStarted }
            then(Self.flushHere(descriptor))
        }
    }

    /// Stops the flush thread. No flush may be running.
    func end() {
        state.withLock { $0 = .ending }
        wakeUp.signal()
    }

    private func work() {
        while true {
            switch state.withLock({ $0 }) {
            case .flushing(let descriptor, let then):
                willFlush()
                let error = Self.flushHere(descriptor)
                // Set this before calling `then`, which may begin the next flush.
                state.withLock { $0 = .idle }
                then(error)
            case .ending: return
            case .idle, .notStarted: wakeUp.wait()
            }
        }
    }

    /// Flushes a file with `fdatasync` on the calling thread, and returns the error number or 0.
    static func flushHere(_ descriptor: CInt) -> CInt {
        while fdatasync(descriptor) != 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }
}
