internal import CLinux
internal import Glibc
internal import IPCQueues
private import Synchronization

/// A thread that runs actor jobs, polls file descriptors and runs timers, with one epoll and one eventfd.
///
/// The thread's own work (ready descriptors, timers, deferred actions) also runs in jobs. Only inside a job does the
/// runtime know the current executor, so that a task started there stays on this thread, in order.
///
/// The class is also a task executor. In Swift 6.3, a continuation does not record where it was created, so its task
/// resumes without an actor. Only a task that prefers this executor resumes on this thread. Any other task would resume
/// on a pool thread and return to this thread later, perhaps after a newer task.
///
/// Unchecked: other threads use only the mutex and the identity of the thread, which is set once.
final class IOThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Arrival {
        /// A job that was enqueued on the thread itself.
        case own(UnownedJob)
        case foreign(UnownedJob)
        case action(@DBusActor @Sendable () -> Void)
    }

    private struct Inbox {
        var arrivals: [Arrival] = []
        var sleeps = false
        var started = false
    }

    private let inbox = Mutex(Inbox())
    private let poll = epoll_create1(CInt(EPOLL_CLOEXEC))
    private let wakeUp = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))

    /// This thread, which sets it once it runs; 0 before. Other threads read it too.
    private let identity = Atomic<pthread_t>(0)

    // The rest is used only on this thread.

    /// Whether the next enqueued job runs immediately instead of being queued.
    private var isBeginning = false
    /// The jobs and actions being run. The array is swapped with `inbox.arrivals`, so that both keep their capacity.
    private var arrivals: [Arrival] = []
    @DBusActor private var work: [@DBusActor () -> Void] = []
    @DBusActor private var ready: [epoll_event] = []
    @DBusActor private var turnIsDue = false
    @DBusActor private var sources: [CInt: @DBusActor (UInt32) -> Void] = [:]
    @DBusActor private var timers = DeadlineQueue<ScheduledAction>()
    @DBusActor private var lastTimer: UInt64 = 0
    /// The actions that other threads have handed over, until a task runs them.
    @DBusActor private var handedOver: [@DBusActor @Sendable () -> Void] = []
    @DBusActor private var idleWork: [(round: UInt64, action: @DBusActor () -> Void)] = []
    @DBusActor private var round: UInt64 = 0
    @DBusActor private var quietWork: (@DBusActor () -> Void)?
    @DBusActor private var isQuiet = true

    private static let timersPerTurn = 64
    /// The maximum number of rounds of jobs before the sockets are polled again.
    private static let rounds = 32
    private static let millisecondsToQuiet: CInt = 1_000
    private static let secondsOfLongestSleep: Int64 = 86_400

    init() {
        precondition(poll >= 0 && wakeUp >= 0, "the process has no file descriptors left for its I/O thread")
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wakeUp))
        epoll_ctl(poll, EPOLL_CTL_ADD, wakeUp, &event)
    }

    // MARK: Executor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard isCurrent else { return take(.foreign(job)) }
        if isBeginning {
            isBeginning = false
            return job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        take(.own(job))
    }

    /// Starts a task on this thread, and runs it up to its first suspension before this returns.
    ///
    /// `Task.immediate` is not enough (Swift 6.3): without a preference for this executor, the task resumes on a
    /// Dispatch thread; with the preference, it is enqueued like any other task.
    func begin(_ body: @escaping @DBusActor @Sendable () async -> Void) {
        isBeginning = true
        Task(executorPreference: self, operation: body)
    }

    /// Runs an action after all earlier actions, but before any task that those actions start. Thread-safe.
    func handOver(_ action: @escaping @DBusActor @Sendable () -> Void) { take(.action(action)) }

    func handOver(_ actions: [@Sendable () -> Void]) { take { for action in actions { $0.append(.action(action)) } } }

    private func take(_ arrival: Arrival) { take { $0.append(arrival) } }

    private func take(_ add: (inout [Arrival]) -> Void) {
        let (wakes, starts) = inbox.withLock { inbox in
            add(&inbox.arrivals)
            defer {
                inbox.sleeps = false
                inbox.started = true
            }
            return (inbox.sleeps, !inbox.started)
        }
        if starts { start() } else if wakes { eventfd_write(wakeUp, 1) }
    }

    func checkIsolated() {
        precondition(isCurrent, "this must run on the D-Bus I/O thread")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    private var isCurrent: Bool { pthread_equal(identity.load(ordering: .relaxed), pthread_self()) != 0 }

    // MARK: Work of DBusActor

    /// Runs an action after the current job, before the thread sleeps.
    @DBusActor func soon(_ action: @escaping @DBusActor () -> Void) {
        work.append(action)
        scheduleTurn()
    }

    /// Runs an action once no job is waiting. If jobs keep arriving, it runs after ``rounds`` rounds of jobs.
    @DBusActor func whenIdle(_ action: @escaping @DBusActor () -> Void) { idleWork.append((round, action)) }

    /// Runs an action each time the thread has been idle for a second after doing something.
    @DBusActor func whenQuiet(_ action: @escaping @DBusActor () -> Void) { quietWork = action }

    @DBusActor func register(
        _ descriptor: CInt, events: UInt32, isNew: Bool, _ ready: @escaping @DBusActor (UInt32) -> Void
    ) {
        sources[descriptor] = ready
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        epoll_ctl(poll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
    }

    @DBusActor func unregister(_ descriptor: CInt) {
        sources[descriptor] = nil
        epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    @DBusActor func schedule(
        at deadline: ContinuousClock.Instant, _ action: @escaping @DBusActor () -> Void
    ) -> ScheduledAction {
        lastTimer += 1
        let timer = ScheduledAction(lastTimer, at: deadline, action)
        timers.insert(timer, at: deadline)
        return timer
    }

    @DBusActor func cancel(_ timer: ScheduledAction) { timers.remove(timer) }

    // MARK: The loop

    private func start() {
        let status = clinux_start_thread(
            "dbus-io",
            { thread in
                let thread = Unmanaged<IOThread>.fromOpaque(thread!).takeUnretainedValue()
                thread.identity.store(pthread_self(), ordering: .relaxed)
                DBusActor.assumeIsolated { thread.run() }
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "the process cannot start its I/O thread")
    }

    @DBusActor private func run() -> Never {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            runJobs()
            // If `runJobs` has used all its rounds, idle work may still be waiting.
            let pause = idleWork.isEmpty && canSleep() ? millisecondsToSleep : 0
            let count = epoll_wait(poll, &events, CInt(events.count), pause)
            inbox.withLock { $0.sleeps = false }
            for event in events.prefix(max(0, Int(count))) {
                if event.data.fd == wakeUp { drainWakeUps() } else { ready.append(event) }
            }
            if !ready.isEmpty || timers.first.map({ $0 <= .now }) ?? false { scheduleTurn() }
            noteQuiet(nothingHappened: count == 0 && !turnIsDue, pause)
        }
    }

    /// The timeout for epoll_wait(2). The first sleep after work is limited to a second, so that the thread notices
    /// when it has been idle for that long.
    @DBusActor private var millisecondsToSleep: CInt {
        let next = millisecondsToNextTimer
        guard quietWork != nil, !isQuiet else { return next }
        return next < 0 ? Self.millisecondsToQuiet : min(next, Self.millisecondsToQuiet)
    }

    /// The time until the next timer; -1 if there is none. Rounded up, so that the timer is due when the thread wakes.
    @DBusActor private var millisecondsToNextTimer: CInt {
        guard let first = timers.first else { return -1 }
        let left = ContinuousClock.now.duration(to: first).components
        // epoll_wait(2) cannot sleep until a very distant deadline, so the thread wakes in between.
        let longest = Self.secondsOfLongestSleep
        guard left.seconds < longest else { return CInt(longest * 1_000) }
        let milliseconds = left.seconds * 1_000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return CInt(clamping: max(0, milliseconds))
    }

    @DBusActor private func noteQuiet(nothingHappened: Bool, _ milliseconds: CInt) {
        guard nothingHappened else {
            isQuiet = false
            return
        }
        guard !isQuiet, milliseconds == Self.millisecondsToQuiet else { return }
        isQuiet = true
        if let quietWork { soon(quietWork) }
    }

    private func drainWakeUps() {
        var count: eventfd_t = 0
        eventfd_read(wakeUp, &count)
    }

    @DBusActor private func scheduleTurn() {
        guard !turnIsDue else { return }
        turnIsDue = true
        Task(executorPreference: self) { @DBusActor in self.turn() }
    }

    @DBusActor private func turn() {
        turnIsDue = false
        let events = ready
        ready = []
        for event in events { sources[event.data.fd]?(event.events) }
        runDueTimers()
        let due = work
        work = []
        for action in due { action() }
    }

    /// Runs due timers one at a time, because an action may set or cancel other timers. Each action resumes a task, so
    /// only a limited number runs now. The other due timers, and timers set by these actions, run after the next poll.
    @DBusActor private func runDueTimers() {
        let (now, last) = (ContinuousClock.now, lastTimer)
        for _ in 0..<Self.timersPerTurn {
            guard let next = timers.firstElement, next.number <= last, timers.takeDue(at: now) != nil else { return }
            next.run()
        }
    }

    /// Runs jobs, and the jobs that they enqueue, for up to ``rounds`` rounds without polling the sockets: a task
    /// enqueues a job for each of its steps, and polling would cost more than a step.
    @DBusActor private func runJobs() {
        for _ in 0..<Self.rounds {
            inbox.withLock { swap(&$0.arrivals, &arrivals) }
            if arrivals.isEmpty {
                guard !idleWork.isEmpty else { return }
                beginIdleWork()
                continue
            }
            round += 1
            for arrival in arrivals { run(arrival) }
            arrivals.removeAll(keepingCapacity: true)
        }
        if let first = idleWork.first, first.round + UInt64(Self.rounds) <= round { beginIdleWork() }
    }

    /// Runs a job on the executors that its task most likely expects; after a wrong guess, the task needs another job
    /// to switch to its actor. A job enqueued on this thread belongs to a task that prefers this executor, because any
    /// other task continues here without a new job. Most jobs from other threads belong to such other tasks.
    @DBusActor private func run(_ arrival: Arrival) {
        switch arrival {
        case .own(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .foreign(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .action(let action):
            handedOver.append(action)
            guard handedOver.count == 1 else { return }
            Task(executorPreference: self) { @DBusActor in
                var actions = self.handedOver
                self.handedOver = []
                actions.reverse()
                // Each action is released after it has run, because it may hold a large value.
                while let action = actions.popLast() { action() }
            }
        }
    }

    @DBusActor private func beginIdleWork() {
        let due = idleWork
        idleWork = []
        Task(executorPreference: self) { @DBusActor in for work in due { work.action() } }
    }

    /// Whether no job is waiting. If so, the next job to arrive wakes the thread.
    private func canSleep() -> Bool {
        inbox.withLock { inbox in
            inbox.sleeps = inbox.arrivals.isEmpty
            return inbox.sleeps
        }
    }
}

/// An action that runs on the I/O thread at its deadline.
final class ScheduledAction: Deadlined {
    let deadline: ContinuousClock.Instant
    fileprivate let number: UInt64
    fileprivate let run: @DBusActor () -> Void
    var deadlineIndex = -1

    fileprivate init(_ number: UInt64, at deadline: ContinuousClock.Instant, _ run: @escaping @DBusActor () -> Void) {
        (self.number, self.deadline, self.run) = (number, deadline, run)
    }
}
