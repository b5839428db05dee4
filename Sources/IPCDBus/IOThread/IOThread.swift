internal import CLinux
internal import Glibc
private import Synchronization

/// A thread that runs actor jobs, polls file descriptors and keeps time: one epoll, one eventfd.
///
/// What the thread does on its own account (descriptors that are ready, timers, work for later) is a job too: only within
/// a job does the runtime know where it is, and a task that begins there goes on there, in order, without a detour over
/// another thread.
///
/// Unchecked: jobs arrive from any thread through the mutex; all else is touched on the thread only.
///
/// It is a task executor as well: a continuation is resumed without an actor (Swift 6.3 does not note where it was made),
/// and only a task that prefers this executor then goes on here rather than on a thread of the pool, from where it would
/// have to come back, perhaps behind a later one.
final class IOThread: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// What is to be run, in the order in which it came.
    private enum Arrival {
        /// A job that comes from the thread itself.
        case own(UnownedJob)
        /// A job that comes from another thread.
        case foreign(UnownedJob)
        /// What another thread has handed over.
        case action(@Sendable () -> Void)
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
    /// What is run now; swapped with the inbox, so that none of them has to grow again and again.
    private var arrivals: [Arrival] = []
    private var work: [() -> Void] = []
    private var ready: [epoll_event] = []
    private var turnIsDue = false
    private var sources: [CInt: (UInt32) -> Void] = [:]
    private var timers = TimerQueue()
    /// What other threads have handed over, until its task begins.
    private var handedOver: [@Sendable () -> Void] = []
    private var idleWork: [(round: UInt64, action: () -> Void)] = []
    private var round: UInt64 = 0
    private var quietWork: (() -> Void)?
    private var isQuiet = true

    /// Whether the next job is to run at once.
    private var isBeginning = false

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

    /// Starts a task that runs to its first suspension before this returns; on this thread.
    ///
    /// `Task.immediate` cannot state that the task prefers this executor: without that, it resumes by a thread of Dispatch,
    /// and with it, it is enqueued like any other (Swift 6.3).
    func begin(_ body: @escaping @DBusActor @Sendable () async -> Void) {
        isBeginning = true
        Task(executorPreference: self, operation: body)
    }

    /// Runs an action after what was handed over before it, and before what that has begun; from any thread.
    func handOver(_ action: @escaping @Sendable () -> Void) { take(.action(action)) }

    private func take(_ arrival: Arrival) {
        let (wakes, starts) = inbox.withLock { inbox in
            inbox.arrivals.append(arrival)
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

    // MARK: For what is isolated to DBusActor

    /// Runs after the work at hand, before the thread sleeps.
    func soon(_ action: @escaping () -> Void) {
        work.append(action)
        scheduleTurn()
    }

    /// Runs when nothing is left to run; while the thread does not come to that, when what is there now has gone on for
    /// many rounds.
    func whenIdle(_ action: @escaping () -> Void) { idleWork.append((round, action)) }

    /// Runs each time that nothing has happened for a second after something had.
    func whenQuiet(_ action: @escaping () -> Void) { quietWork = action }

    func register(_ descriptor: CInt, events: UInt32, isNew: Bool, _ ready: @escaping (UInt32) -> Void) {
        sources[descriptor] = ready
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        epoll_ctl(poll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
    }

    func unregister(_ descriptor: CInt) {
        sources[descriptor] = nil
        epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// - Returns: a number for ``cancel(_:)``.
    func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> UInt64 {
        timers.schedule(at: deadline, action)
    }

    func cancel(_ timer: UInt64) { timers.cancel(timer) }

    // MARK: The loop

    private func start() {
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { me in
                Unmanaged<IOThread>.fromOpaque(me!).takeUnretainedValue().run()
            }, me)
        precondition(status == 0, "the process cannot start its I/O thread")
        pthread_detach(thread)
    }

    private func run() -> Never {
        identity = pthread_self()
        clinux_name_this_thread("dbus-io")
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            runJobs()
            // What is for later may have come in the last round before this.
            let pause = idleWork.isEmpty && canSleep() ? millisecondsToSleep : 0
            let count = epoll_wait(poll, &events, CInt(events.count), pause)
            inbox.withLock { $0.sleeps = false }
            for event in events.prefix(max(0, Int(count))) {
                if event.data.fd == wakeUp { drainWakeUps() } else { ready.append(event) }
            }
            if !ready.isEmpty || timers.isDue { scheduleTurn() }
            noteQuiet(nothingHappened: count == 0 && !turnIsDue, pause)
        }
    }

    private static let millisecondsToQuiet: CInt = 1_000

    /// Nobody else has to be woken for what is done when it is quiet: the thread sleeps a second less than for ever, once.
    private var millisecondsToSleep: CInt {
        let next = timers.millisecondsToNext
        guard quietWork != nil, !isQuiet else { return next }
        return next < 0 ? Self.millisecondsToQuiet : min(next, Self.millisecondsToQuiet)
    }

    private func noteQuiet(nothingHappened: Bool, _ milliseconds: CInt) {
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

    private func scheduleTurn() {
        guard !turnIsDue else { return }
        turnIsDue = true
        Task(executorPreference: self) { @DBusActor in self.turn() }
    }

    private func turn() {
        turnIsDue = false
        let events = ready
        ready = []
        for event in events { sources[event.data.fd]?(event.events) }
        runDueTimers()
        let due = work
        work = []
        for action in due { action() }
    }

    /// One at a time, because an action may set or cancel timers. A slice at most, because each resumes a task: the rest
    /// follows after the sockets, and so does what these actions set.
    private func runDueTimers() {
        let (now, last) = (ContinuousClock.now, timers.last)
        for _ in 0..<Self.timersPerTurn {
            guard let action = timers.takeDue(at: now, upTo: last) else { return }
            action()
        }
    }

    private static let timersPerTurn = 64

    /// Runs what is there and what that brings along, for a while: a task comes here again at each of its steps, and to
    /// look at the sockets between any two of them costs more than the step.
    private func runJobs() {
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

    /// A task changes to an actor by a job of its own unless it finds itself on the executors that it would run on: on this
    /// one alone, or on this one as the one that it prefers too. What comes from the thread itself prefers it, for all others
    /// have come to where they wanted; what comes from elsewhere mostly does not.
    private func run(_ arrival: Arrival) {
        switch arrival {
        case .own(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .foreign(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .action(let action):
            handedOver.append(action)
            guard handedOver.count == 1 else { return }
            Task(executorPreference: self) { @DBusActor in
                let actions = self.handedOver
                self.handedOver = []
                for action in actions { action() }
            }
        }
    }

    private func beginIdleWork() {
        let due = idleWork
        idleWork = []
        Task(executorPreference: self) { @DBusActor in for work in due { work.action() } }
    }

    /// The most rounds of jobs between two looks at the sockets.
    private static let rounds = 32

    /// Whether nothing is left to run; from then on an enqueued job wakes the thread.
    private func canSleep() -> Bool {
        inbox.withLock { inbox in
            inbox.sleeps = inbox.arrivals.isEmpty
            return inbox.sleeps
        }
    }
}

/// Actions by deadline.
private struct TimerQueue {
    private var deadlines = DeadlineQueue()
    private var actions: [UInt64: () -> Void] = [:]
    /// The number of the timer that was set last.
    private(set) var last: UInt64 = 0

    mutating func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> UInt64 {
        last += 1
        deadlines.insert(last, at: deadline)
        actions[last] = action
        return last
    }

    mutating func cancel(_ number: UInt64) {
        guard actions.removeValue(forKey: number) != nil else { return }
        deadlines.remove(number)
    }

    /// For epoll_wait(2): -1 without a timer; rounded up, so that a timer is due when it wakes.
    var millisecondsToNext: CInt {
        guard let first = deadlines.first else { return -1 }
        let left = ContinuousClock.now.duration(to: first).components
        // A deadline in a thousand years is looked at again in a while.
        guard left.seconds < Self.longestSleep else { return CInt(Self.longestSleep * 1_000) }
        let milliseconds = left.seconds * 1_000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return CInt(clamping: max(0, milliseconds))
    }

    /// In seconds.
    private static let longestSleep: Int64 = 86_400

    var isDue: Bool { deadlines.first.map { $0 <= ContinuousClock.now } ?? false }

    /// The action of the first timer, if it is due and its number is not above `last`.
    mutating func takeDue(at now: ContinuousClock.Instant, upTo last: UInt64) -> (() -> Void)? {
        guard let first = deadlines.firstNumber, first <= last, let number = deadlines.takeDue(at: now) else {
            return nil
        }
        return actions.removeValue(forKey: number)
    }
}
