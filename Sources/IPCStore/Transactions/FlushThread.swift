internal import Dispatch
internal import Glibc
internal import Synchronization

/// Waits for the disk in the place of the store's thread, which runs the next group meanwhile.
///
/// It has at most one file to bring to the disk at a time. Started with the first one, it sleeps between them.
final class FlushThread: Sendable {
    private enum State {
        case notStarted
        case idle
        /// A descriptor to flush, and who is told the error, or 0.
        case flushing(CInt, then: @Sendable (CInt) -> Void)
        case ending
    }

    private let willFlush: @Sendable () -> Void
    private let state = Mutex(State.notStarted)
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameter willFlush: called on the thread before it waits for the disk.
    init(_ willFlush: @escaping @Sendable () -> Void) { self.willFlush = willFlush }

    /// Brings the data of an open file to the disk, and says then with which error that ended, on the thread that did it.
    ///
    /// The corresponding C function is `fdatasync`. Where there is no room for a thread, it is done before this returns.
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
            then(Self.flush(descriptor))
        }
    }

    /// Lets the thread end; nothing may be on its way.
    func end() {
        state.withLock { $0 = .ending }
        wakeUp.signal()
    }

    private func work() {
        while true {
            switch state.withLock({ $0 }) {
            case .flushing(let descriptor, let then):
                willFlush()
                let error = Self.flush(descriptor)
                // Before the answer, which may bring the next one.
                state.withLock { $0 = .idle }
                then(error)
            case .ending: return
            case .idle, .notStarted: wakeUp.wait()
            }
        }
    }

    /// Brings the data of an open file to the disk; the error, or 0.
    static func flush(_ descriptor: CInt) -> CInt {
        while fdatasync(descriptor) != 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }
}
