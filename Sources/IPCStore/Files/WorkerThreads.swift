internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs jobs, which may block, in order of arrival on a thread of their own. If a job hangs, for example because a file
/// system (FUSE, NFS) does not respond, another thread runs the next job. Without jobs, there is no thread.
final class WorkerThreads: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [Job] = []
        var first = 0
        /// The thread numbers that are not in use.
        var idle: [Int]
        /// When each running job began, by thread number, in nanoseconds since boot.
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
    private let limit: Int

    /// A job that runs longer than this counts as hanging.
    private static let patienceNanoseconds: UInt64 = 500_000_000

    /// - Parameter limit: the maximum number of threads, including hanging ones; with 1, jobs run one by one.
    init(_ name: String, limit: Int = 8) {
        (self.name, self.limit) = (name, limit)
        state = Mutex(State(idle: Array((0..<limit).reversed())))
    }

    func add(_ job: @escaping Job) {
        state.withLock { $0.waiting.append(job) }
        startThreads()
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Value, any Error>) in
            add { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Starts threads for waiting jobs, up to the limit. If jobs are left, checks later whether a running job hangs.
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
            // The process cannot start another thread, so this one runs the job.
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

    private func work(_ thread: Int, _ first: @escaping Job) {
        var job: Job? = first
        while let current = job {
            current()
            job = state.withLock { state in
                state.running[thread] = nil
                // If a job hung, there are several threads. Each stops after its job, until one is left.
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
