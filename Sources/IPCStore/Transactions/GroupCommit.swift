internal import Dispatch
internal import Glibc

/// The work of the store's thread: operations in the order in which they came, many of them in one transaction.
///
/// While one group is on its way to the disk, the next one runs and gathers; it is written when that one has arrived. A group
/// ends when nothing more is there to run and somebody waits for the disk, or when what was only staged has lingered long
/// enough. Where more requests are on their way than wait for the disk, those that wait give the others a moment: each flush
/// that is spared is worth more than it. With nothing to do the thread sleeps without a deadline.
struct GroupCommit {
    let session: StoreSession
    let queue: OperationQueue
    let statistics: StoreStatistics
    private let flushThread: FlushThread

    /// Operations that ran and are answered when the group is on the disk.
    private var waiting: [Waiting] = []
    /// The group that is on its way to the disk.
    private var flushing: Flushing?
    private var hasStaged = false
    private var count = 0
    /// When what was staged has lingered long enough.
    private var lingers: DispatchTime?
    /// Until when those who wait let others join them.
    private var gathers: DispatchTime?
    /// Groups that end without that, because it was in vain.
    private var hurried = 0
    /// Answers that are given, and handed over together: one change of thread for all of them.
    private var outgoing: [@Sendable () -> Void] = []

    /// Operations after which a group ends although more are there, so that the first ones do not wait for ever.
    private static let most = 1_024
    private static let hurriedAfterVain = 16
    /// Answers that are handed over although more operations are there to run: who gets them begins meanwhile.
    private static let together = 8

    private typealias Waiting = (operation: any PendingOperation, finished: FinishedOperation)

    /// Who is answered when a group has reached the disk, and what is told then.
    private struct Flushing {
        var waiting: [Waiting]
        let moves: [PasteboardMove]
    }

    init(_ session: StoreSession, _ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.session, self.queue, self.statistics) = (session, queue, statistics)
        flushThread = FlushThread(session.configuration.willFlush)
    }

    /// Works until the store is to be closed; throws the fault after which nothing more may be acknowledged.
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
}

// MARK: Answers

extension GroupCommit {
    private mutating func give(_ answer: Answer) {
        switch answer {
        case .here(let answer): answer()
        case .elsewhere(let answer): outgoing.append(answer)
        }
    }

    private mutating func answer(_ waiting: [Waiting]) {
        for (_, finished) in waiting { give(finished.answer) }
    }

    /// Answers with an error, behind those who are answered before.
    private mutating func fail(_ operations: [Waiting], _ error: StoreError) {
        handOver()
        for (operation, _) in operations { operation.fail(error) }
    }

    private mutating func handOver() {
        guard !outgoing.isEmpty else { return }
        session.configuration.handOver(outgoing)
        outgoing = []
    }
}

// MARK: Running

extension GroupCommit {
    /// Runs operations, and those that come meanwhile, then ends the group where somebody waits for it.
    private mutating func gather(_ first: [any PendingOperation]) throws {
        var operations = first
        while !operations.isEmpty {
            try run(operations)
            // What was staged is answered before the disk is waited for.
            handOver()
            operations = count < Self.most ? queue.takeAll() : []
        }
        if count >= Self.most, flushing != nil { return try flushed(queue.awaitFlush()) }
        try endIfDue()
    }

    /// Runs operations one after the other; a fault answers all that are left.
    private mutating func run(_ operations: [any PendingOperation]) throws {
        for (index, operation) in operations.enumerated() {
            do {
                try run(operation)
                if outgoing.count >= Self.together { handOver() }
            } catch {
                for operation in operations[(index + 1)...] { operation.fail(StoreError.unavailable) }
                throw error
            }
        }
    }

    private mutating func run(_ operation: any PendingOperation) throws {
        do {
            try finish(operation, operation.run(session))
        } catch let lost as GroupLost {
            handOver()
            operation.fail(lost.reason)
            try giveUpGroup(lost.reason)
        } catch {
            handOver()
            operation.fail(StoreError.unavailable)
            throw error
        }
    }

    private mutating func finish(_ operation: any PendingOperation, _ finished: FinishedOperation) {
        count += 1
        statistics.ran()
        // What was read may be what the group wrote, or the one before it: also a reader waits for the disk.
        if !operation.isStaged, session.transaction.isDirty {
            waiting.append((operation, finished))
        } else if !operation.isStaged, flushing != nil {
            flushing?.waiting.append((operation, finished))
        } else {
            if session.transaction.isDirty, finished.wrote {
                hasStaged = true
                lingers = lingers ?? .now() + .milliseconds(Int(session.configuration.lingerMilliseconds))
            }
            give(finished.answer)
        }
    }
}

// MARK: The end of a group

extension GroupCommit {
    /// Ends the group where somebody waits for the disk, or it has lingered, and the one before it has arrived.
    private mutating func endIfDue() throws {
        guard flushing == nil else { return }
        let hasLingered = lingers.map { $0 <= .now() } ?? false
        if hasLingered || count >= Self.most || !waiting.isEmpty && !letsOthersJoin() { try end() }
    }

    /// Whether the group is to wait for more: as long as more requests are with their handlers than wait here.
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

    /// Writes the group to the log and brings it to the disk; nothing else may be on its way there.
    private mutating func end() throws {
        if session.configuration.answersBeforeCommit, session.transaction.isDirty { answerEarly() }
        let isAlone = waiting.count <= 1 && session.requestRows.openCount <= waiting.count
        do {
            try session.endTransaction()
        } catch let lost as GroupLost {
            return try giveUpGroup(lost.reason)
        }
        statistics.committed(session.transaction.log)
        let log = session.transaction.log.needsFlush ? try session.transaction.log.descriptor : nil
        flushing = Flushing(waiting: waiting, moves: session.boards.takeMoves())
        waiting = []
        beginNext()
        // One alone is answered sooner without a change of thread, and has nobody to run meanwhile.
        guard let log, !isAlone, !session.mustSettle, !session.transaction.log.isLong else {
            return try flushed(log.map(FlushThread.flush) ?? 0, settling: true)
        }
        flushThread.flush(log, then: queue.flushed)
    }

    /// Answers those who wait for the group that has reached the disk, and ends the next where that is due.
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
        session.tell(group.moves)
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
        // The test has to find a kill between answer and commit, also on a busy machine.
        usleep(10_000)
    }

    private mutating func beginNext() {
        (hasStaged, count, lingers, gathers) = (false, 0, nil, nil)
    }

    /// Nothing that the group wrote is there. Who only read is answered from what is on the disk.
    private mutating func giveUpGroup(_ reason: StoreError) throws {
        try session.abandonGroup(hadStaged: hasStaged)
        let lost = waiting
        waiting = []
        beginNext()
        fail(lost.filter(\.finished.wrote), reason)
        try run(lost.filter { !$0.finished.wrote }.map(\.operation))
        try endIfDue()
    }
}
