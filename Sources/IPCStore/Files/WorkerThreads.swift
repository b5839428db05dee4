internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread for what may block: jobs run in the order in which they came.
///
/// Where a job hangs, another thread goes on with the next: the file of a system that does not answer (FUSE, NFS) holds
/// its thread for ever, and must not hold the jobs behind it. With nothing to do there is no thread.
final class WorkerThreads: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [Job] = []
        var first = 0
        /// The threads that have nothing to do, by number.
        var idle: [Int]
        /// When the jobs that run began, by thread, in nanoseconds since the system started.
        var running: [Int: UInt64] = [:]
        var isWatched = false

        mutating func next() -> Job? {
            guard first < waiting.count else {
                (waiting, first) = ([], 0)
                return nil
            }
            defer { first += 1 }
            return waiting[first]
        }
    }

    private let state: Mutex<State>
    private let name: String
    /// The most threads, with those that hang.
    private let limit: Int

    /// Jobs that run for longer than this hang.
    private static let patienceNanoseconds: UInt64 = 500_000_000

    /// - Parameter limit: the most threads, with those that hang; with a limit of 1 each job waits for the end of all
    ///   before it, however long they take.
    init(_ name: String, limit: Int = 8) {
        (self.name, self.limit) = (name, limit)
        state = Mutex(State(idle: Array((0..<limit).reversed())))
    }

    /// Runs a job behind those that wait.
    func add(_ job: @escaping Job) {
        state.withLock { $0.waiting.append(job) }
        startThreads()
    }

    /// Runs a job behind those that wait, and returns what it gives.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Value, any Error>) in
            add { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Starts threads for the jobs that wait, as far as there may be more; looks again where all of them are busy.
    private func startThreads() {
        let (started, mustWatch) = state.withLock { state in
            let now = DispatchTime.now().uptimeNanoseconds
            var started: [(thread: Int, job: Job)] = []
            let hanging = state.running.values.count { now > $0 + Self.patienceNanoseconds }
            while state.running.count < min(1 + hanging, limit), let job = state.next() {
                let thread = state.idle.removeLast()
                state.running[thread] = now
                started.append((thread, job))
            }
            let mustWatch = limit > 1 && state.first < state.waiting.count && !state.isWatched
            if mustWatch { state.isWatched = true }
            return (started, mustWatch)
        }
        for (thread, job) in started where !OwnThread.start("\(name)-\(thread)", { self.work(thread, job) }) {
            // There is no room for another thread now: better done here, late, than never.
            work(thread, job)
        }
        if mustWatch, !OwnThread.start("\(name)-watch", { self.lookAgain() }) {
            state.withLock { $0.isWatched = false }
        }
    }

    private func lookAgain() {
        usleep(UInt32(Self.patienceNanoseconds / 1_000))
        state.withLock { $0.isWatched = false }
        startThreads()
    }

    /// Runs a job and those that wait behind it.
    private func work(_ thread: Int, _ first: @escaping Job) {
        var job: Job? = first
        while let current = job {
            current()
            job = state.withLock { state in
                state.running[thread] = nil
                // Threads that were started in the place of one that hung end when it goes on.
                guard state.running.isEmpty, let next = state.next() else {
                    state.idle.append(thread)
                    return nil
                }
                state.running[thread] = DispatchTime.now().uptimeNanoseconds
                return next
            }
        }
    }
}
