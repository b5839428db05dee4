internal import CLinux
internal import Glibc
internal import IPCQueues
private import Synchronization

/// A thread that runs actor jobs, polls file descriptors and keeps time, with one epoll and one eventfd.
///
/// The thread's own work (ready descriptors, timers, deferred actions) runs in jobs too. The runtime knows only within a job
/// which executor it is on: a task that begins there stays on this thread, in order.
///
/// The class is a task executor as well. A continuation resumes without an actor, because Swift 6.3 does not note where it was
/// made. Only a task that prefers this executor resumes here; others would resume on a thread of the pool and come here
/// later, perhaps behind a later task.
///
/// Unchecked: other threads use only the mutex and the identity of the thread, which is set once.
final class IOThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Arrival {
        /// A job of the thread itself.
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

    // On the thread only.
    private var identity: pthread_t?
    /// Whether the next job runs at once.
    private var isBeginning = false
    /// The arrivals that run now; swapped with the inbox, so neither array has to grow again.
    private var arrivals: [Arrival] = []
    @DBusActor private var work: [@DBusActor () -> Void] = []
    @DBusActor private var ready: [epoll_event] = []
    @DBusActor private var turnIsDue = false
    @DBusActor private var sources: [CInt: @DBusActor (UInt32) -> Void] = [:]
    @DBusActor private var timers = DeadlineQueue<ScheduledAction>()
    /// The number of the newest timer.
    @DBusActor private var lastTimer: UInt64 = 0
    /// The actions that other threads handed over, until their task begins.
    @DBusActor private var handedOver: [@DBusActor @Sendable () -> Void] = []
    @DBusActor private var idleWork: [(round: UInt64, action: @DBusActor () -> Void)] = []
    @DBusActor private var round: UInt64 = 0
    @DBusActor private var quietWork: (@DBusActor () -> Void)?
    @DBusActor private var isQuiet = true

    private static let timersPerTurn = 64
    /// The most rounds of jobs before the sockets are polled again.
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

    /// Starts a task on this thread, and runs it to its first suspension before this returns.
    ///
    /// `Task.immediate` does not do (Swift 6.3): without a preference for this executor, the task resumes on a thread of Dispatch;
    /// with it, the task is enqueued like any other.
    func begin(_ body: @escaping @DBusActor @Sendable () async -> Void) {
        isBeginning = true
        Task(executorPreference: self, operation: body)
    }

    /// Runs an action after those that were handed over before it, and before work that has begun; from any thread.
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

    private var isCurrent: Bool { identity.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    // MARK: Work of DBusActor

    /// Runs an action after the present job, before the thread sleeps.
    @DBusActor func soon(_ action: @escaping @DBusActor () -> Void) {
        work.append(action)
        scheduleTurn()
    }

    /// Runs an action when no job is left. If jobs do not end, it runs after the jobs of many rounds.
    @DBusActor func whenIdle(_ action: @escaping @DBusActor () -> Void) { idleWork.append((round, action)) }

    /// Runs an action each time that nothing has happened for a second after something had.
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
                thread.identity = pthread_self()
                DBusActor.assumeIsolated { thread.run() }
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "the process cannot start its I/O thread")
    }

    @DBusActor private func run() -> Never {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            runJobs()
            // The last round may have left idle work.
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

    /// To run the quiet work, no other thread has to wake this one: it once sleeps a second instead of without a limit.
    @DBusActor private var millisecondsToSleep: CInt {
        let next = millisecondsToNextTimer
        guard quietWork != nil, !isQuiet else { return next }
        return next < 0 ? Self.millisecondsToQuiet : min(next, Self.millisecondsToQuiet)
    }

    /// For epoll_wait(2): -1 without a timer; rounded up, so that a timer is due when the thread wakes.
    @DBusActor private var millisecondsToNextTimer: CInt {
        guard let first = timers.first else { return -1 }
        let left = ContinuousClock.now.duration(to: first).components
        // epoll_wait(2) cannot wait until a deadline in a thousand years: the thread wakes in between.
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

    /// Runs timers one at a time, because an action may set or cancel others. Each action resumes a task, so a turn has a limit:
    /// the other timers, and those that these actions set, follow after the sockets.
    @DBusActor private func runDueTimers() {
        let (now, last) = (ContinuousClock.now, lastTimer)
        for _ in 0..<Self.timersPerTurn {
            guard let next = timers.firstElement, next.number <= last, timers.takeDue(at: now) != nil else { return }
            next.run()
        }
    }

    /// Runs the jobs and their successors for some rounds. A task enqueues a job at each of its steps, and to poll the sockets
    /// between two steps costs more than a step.
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

    /// A task needs a further job to change to an actor, unless it runs on the executors that it would change to: this one
    /// alone, or this one as its preferred executor too. A job of the thread itself prefers this executor, because all other
    /// tasks are where they prefer to be already; a job of another thread mostly does not.
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
                // An action is released when it has run, because it may hold a large value.
                while let action = actions.popLast() { action() }
            }
        }
    }

    @DBusActor private func beginIdleWork() {
        let due = idleWork
        idleWork = []
        Task(executorPreference: self) { @DBusActor in for work in due { work.action() } }
    }

    /// Whether no job is left; from then on an enqueued job wakes the thread.
    private func canSleep() -> Bool {
        inbox.withLock { inbox in
            inbox.sleeps = inbox.arrivals.isEmpty
            return inbox.sleeps
        }
    }
}

/// An action with a deadline on the I/O thread.
final class ScheduledAction: Deadlined {
    let deadline: ContinuousClock.Instant
    fileprivate let number: UInt64
    fileprivate let run: @DBusActor () -> Void
    var deadlineIndex = -1

    fileprivate init(_ number: UInt64, at deadline: ContinuousClock.Instant, _ run: @escaping @DBusActor () -> Void) {
        (self.number, self.deadline, self.run) = (number, deadline, run)
    }
}
