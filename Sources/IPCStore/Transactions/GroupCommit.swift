internal import Dispatch
internal import Glibc

/// The loop of the store's thread: it runs operations in order of arrival, many of them in one transaction. While one
/// group is flushed, the next one runs; it is written after that flush. A group ends when no operation is waiting to
/// run and a caller is waiting for the disk, or when its staged operations have lingered long enough. If more requests
/// are open than callers are waiting for the disk, the group briefly waits for more requests to end: one flush for all
/// saves more time than the wait costs. When there is no work, the thread sleeps without a deadline.
struct GroupCommit {
    let session: StoreSession
    let queue: OperationQueue
    let statistics: StoreStatistics
    private let flushThread: FlushThread

    /// Operations that have run, and are answered once the group is on disk.
    private var waiting: [Waiting] = []
    /// The group being flushed: the callers to answer, and the changes to pasteboards to report.
    private var flushing: (waiting: [Waiting], moves: [PasteboardMove])?
    private var hasStaged = false
    private var count = 0
    /// When the first operation of the group began, in milliseconds since 1970.
    private var began: UInt64 = 0
    /// Until when the group's staged operations may linger; `nil` if there are none.
    private var lingers: DispatchTime?
    /// Until when the group waits for more requests to end; `nil` if it is not waiting.
    private var gathers: DispatchTime?
    /// The number of coming groups that skip the wait for more requests to end, because the last such wait was in vain.
    private var hurried = 0
    /// Answers to hand over together, with a single thread switch.
    private var outgoing: [@Sendable () -> Void] = []
    /// When the operation of the first answer in `outgoing` began, in milliseconds since 1970.
    private var outgoingSince: UInt64 = 0

    /// A group ends after this many operations, so that the first ones do not wait forever.
    private static let most = 1_024
    /// A group takes no more operations after this time, so that the first ones do not wait for many long ones (I15).
    private static let longestMilliseconds: UInt64 = 10
    private static let hurriedAfterVain = 16
    /// Once this many answers are ready, they are handed over before more operations run, so that callers can continue.
    private static let together = 8
    /// Answers are also handed over when an operation begins this long after the operation of the first answer.
    private static let millisecondsTogether: UInt64 = 2

    private typealias Waiting = (operation: PendingOperation, finished: FinishedOperation)

    init(_ session: StoreSession, _ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.session, self.queue, self.statistics) = (session, queue, statistics)
        flushThread = FlushThread(session.configuration.willFlush)
    }

    /// Runs until the store must close.
    /// - Throws: the fault after which no operation may be acknowledged.
    mutating func work() throws {
        defer {
            flushThread.end()
            handOver()
        }
        do {
            try workUntilStopped()
        } catch {
            if flushing != nil { _ = queue.awaitFlush() }
            fail((flushing?.waiting ?? []) + waiting, StoreError.unavailable)
            throw error
        }
    }

    private mutating func workUntilStopped() throws {
        while true {
            let deadline = flushing == nil ? [lingers, gathers].compactMap(\.self).min() : nil
            switch queue.next(until: deadline, isFree: flushing == nil && deadline == nil) {
            case .run(let operations):
                try gather(operations)
            case .flushed(let error):
                try flushed(error)
            case .nothing:
                if gathers != nil { hurried = Self.hurriedAfterVain }
                try end()
            case .stop:
                repeat {
                    while flushing != nil { try flushed(queue.awaitFlush()) }
                    try end()
                } while flushing != nil || !waiting.isEmpty
                return
            case .fail(let fault):
                throw fault
            }
            handOver()
        }
    }

    private mutating func answer(_ operation: PendingOperation, _ finished: FinishedOperation) {
        guard operation.handOver != nil else { return finished.answer() }
        if outgoing.isEmpty { outgoingSince = session.transaction.now }
        outgoing.append(finished.answer)
    }

    private mutating func answer(_ waiting: [Waiting]) {
        for (operation, finished) in waiting { answer(operation, finished) }
    }

    /// Hands over the answers that are ready, then fails operations with an error.
    private mutating func fail(_ operations: [Waiting], _ error: StoreError) {
        handOver()
        for (operation, _) in operations { operation.fail(error) }
    }

    private mutating func handOver() {
        guard !outgoing.isEmpty else { return }
        session.configuration.handOver(outgoing)
        outgoing = []
    }

    /// Runs operations and any that arrive in the meantime, then ends the group if it is time.
    private mutating func gather(_ first: [PendingOperation]) throws {
        var operations = first
        while !operations.isEmpty {
            try run(operations)
            // Staged operations are answered now, because they do not wait for a flush.
            handOver()
            operations = count < Self.most && !isLong ? queue.takeAll() : []
        }
        if count >= Self.most, flushing != nil { return try flushed(queue.awaitFlush()) }
        try endIfDue()
    }

    /// Whether the group takes no more operations. Also true if the clock was set back, because the elapsed time is then
    /// unknown.
    private var isLong: Bool { session.transaction.now &- began >= Self.longestMilliseconds }

    /// Runs operations in order. After a fault, the remaining ones fail as unavailable.
    private mutating func run(_ operations: [PendingOperation]) throws {
        for (index, operation) in operations.enumerated() {
            do {
                try run(operation)
                // `isLate` is also true if the clock was set back, because the elapsed time is then unknown.
                let isLate = session.transaction.now &- outgoingSince >= Self.millisecondsTogether
                if outgoing.count >= Self.together || isLate { handOver() }
            } catch {
                for operation in operations[(index + 1)...] { operation.fail(StoreError.unavailable) }
                throw error
            }
        }
    }

    private mutating func run(_ operation: PendingOperation) throws {
        do {
            try finish(operation, operation.run(session))
        } catch let lost as GroupLost {
            handOver()
            operation.fail(lost.reason)
            try abandonGroup(lost.reason)
        } catch {
            handOver()
            operation.fail(StoreError.unavailable)
            throw error
        }
    }

    private mutating func finish(_ operation: PendingOperation, _ finished: FinishedOperation) {
        if count == 0 { began = session.transaction.now }
        count += 1
        statistics.ran()
        // An operation that only reads waits too: it may have read what this group, or the one being flushed, wrote.
        if !operation.isStaged, session.transaction.isDirty {
            waiting.append((operation, finished))
        } else if !operation.isStaged, flushing != nil {
            flushing?.waiting.append((operation, finished))
        } else {
            if session.transaction.isDirty, finished.wrote {
                hasStaged = true
                lingers = lingers ?? .now() + .milliseconds(Int(session.configuration.lingerMilliseconds))
            }
            answer(operation, finished)
        }
    }

    /// Ends the group if it is full, has lingered, or has a caller waiting for the disk, unless a flush is running.
    private mutating func endIfDue() throws {
        guard flushing == nil else { return }
        let hasLingered = lingers.map { $0 <= .now() } ?? false
        if hasLingered || count >= Self.most || !waiting.isEmpty && !letsOthersJoin() { try end() }
    }

    /// Whether the group waits for more requests to end: more requests are open than callers are waiting for the disk.
    private mutating func letsOthersJoin() -> Bool {
        guard waiting.count < session.requestRows.openCount else { return false }
        guard hurried == 0 else {
            hurried -= 1
            return false
        }
        let until = gathers ?? .now() + .microseconds(Int(session.configuration.gatherMicroseconds))
        gathers = until
        return .now() < until
    }

    /// Commits the group and begins its flush; a single operation is flushed on this thread. No flush may be running.
    private mutating func end() throws {
        if session.configuration.answersBeforeCommit, session.transaction.isDirty { answerEarly() }
        let isAlone = waiting.count <= 1 && session.requestRows.openCount <= waiting.count
        do {
            try session.endTransaction()
        } catch let lost as GroupLost {
            return try abandonGroup(lost.reason)
        }
        statistics.committed(session.transaction.log)
        let log = session.transaction.log.needsFlush ? try session.transaction.log.descriptor : nil
        flushing = (waiting, session.boards.takeMoves())
        waiting = []
        beginNext()
        // A single operation is flushed on this thread: that is faster, and no other operation is waiting to run.
        guard let log, !isAlone, !session.mustSettle, !session.transaction.log.isLong else {
            return try flushed(log.map(FlushThread.flushHere) ?? 0, settling: true)
        }
        flushThread.flush(log, then: queue.flushed)
    }

    /// Answers the callers of the flushed group, unless the flush failed, and ends the next group if it is time.
    private mutating func flushed(_ error: CInt, settling: Bool = false) throws {
        guard let group = flushing else { return }
        flushing = nil
        do {
            try session.transaction.log.flushed(error)
        } catch {
            fail(group.waiting, StoreError.unavailable)
            throw error
        }
        if settling { session.settle() }
        session.report(group.moves)
        answer(group.waiting)
        handOver()
        if !session.transaction.isDirty {
            try session.transaction.log.checkpointIfLong()
            statistics.committed(session.transaction.log)
        }
        try endIfDue()
    }

    private mutating func answerEarly() {
        answer(waiting)
        waiting = []
        handOver()
        queue.awaitArrival()
        // Leaves a test enough time to kill the process between the answer and the commit, even on a busy machine.
        usleep(10_000)
    }

    private mutating func beginNext() {
        (hasStaged, count, lingers, gathers) = (false, 0, nil, nil)
    }

    /// Undoes the group, and fails its writes. Read-only operations run again on the data that is on disk.
    private mutating func abandonGroup(_ reason: StoreError) throws {
        try session.abandonGroup(hadStaged: hasStaged)
        let lost = waiting
        waiting = []
        beginNext()
        fail(lost.filter(\.finished.wrote), reason)
        try run(lost.filter { !$0.finished.wrote }.map(\.operation))
        try endIfDue()
    }
}
