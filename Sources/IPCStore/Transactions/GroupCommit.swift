internal import Dispatch

/// The work of the store's thread: operations in the order in which they came, many of them in one transaction.
///
/// While one group is on its way to the disk the next one gathers. A group ends when nothing more is there to run and
/// somebody waits for the disk, or when what was only staged has lingered long enough. Where more requests are on their
/// way than wait for the disk, those that wait give the others a moment: each flush that is spared is worth more than it.
/// With nothing to do the thread sleeps without a deadline.
struct GroupCommit {
    let session: StoreSession
    let queue: OperationQueue
    let statistics: StoreStatistics

    /// Operations that ran and are answered when the group is on the disk.
    private var waiting: [(operation: any PendingOperation, finished: FinishedOperation)] = []
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

    init(_ session: StoreSession, _ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.session, self.queue, self.statistics) = (session, queue, statistics)
    }

    /// Works until the store is to be closed; throws the fault after which nothing more may be acknowledged.
    mutating func work() throws {
        defer { handOver() }
        while true {
            switch queue.next(until: [lingers, gathers].compactMap(\.self).min()) {
            case .run(let operations):
                try gather(operations)
            case .nothing:
                if gathers != nil { hurried = Self.hurriedAfterVain }
                try end()
            case .stop:
                try end()
                return
            }
            handOver()
            try session.log.checkpointIfLong()
        }
    }

    private mutating func give(_ answer: Answer) {
        switch answer {
        case .here(let answer): answer()
        case .elsewhere(let answer): outgoing.append(answer)
        }
    }

    private mutating func handOver() {
        guard !outgoing.isEmpty else { return }
        session.configuration.handOver(outgoing)
        outgoing = []
    }

    /// Runs operations, and those that come meanwhile, then ends the group where somebody waits for it.
    private mutating func gather(_ first: [any PendingOperation]) throws {
        var operations = first
        while !operations.isEmpty {
            try run(operations)
            // What was staged is answered before the disk is waited for.
            handOver()
            operations = count < Self.most ? queue.takeAll() : []
        }
        guard !waiting.isEmpty || count >= Self.most else { return }
        if !letsOthersJoin() { try end() }
    }

    /// Whether the group is to wait for more: as long as more requests are with their handlers than wait here.
    private mutating func letsOthersJoin() -> Bool {
        guard count < Self.most, waiting.count < session.openRequests.count else { return false }
        guard hurried == 0 else {
            hurried -= 1
            return false
        }
        let until = gathers ?? .now() + .microseconds(Int(session.configuration.gatherMicroseconds))
        gathers = until
        return .now() < until
    }

    private mutating func run(_ operation: any PendingOperation) throws {
        do {
            try finish(operation, operation.run(session))
        } catch is GroupLost {
            operation.fail(StoreError.noSpace)
            try giveUpGroup()
        } catch {
            operation.fail(StoreError.unavailable)
            throw error
        }
    }

    private mutating func finish(_ operation: any PendingOperation, _ finished: FinishedOperation) {
        count += 1
        statistics.ran()
        // What was read may be what the group wrote: also a reader waits for the disk.
        if session.isDirty, !operation.isStaged {
            waiting.append((operation, finished))
            return
        }
        if session.isDirty, finished.wrote {
            hasStaged = true
            lingers = lingers ?? .now() + .milliseconds(Int(session.configuration.lingerMilliseconds))
        }
        give(finished.answer)
    }

    /// Brings the group to the disk and answers those who wait for it.
    private mutating func end() throws {
        let isEarly = session.configuration.control == .acknowledgeBeforeCommit
        if isEarly, session.isDirty {
            answer()
            handOver()
            queue.awaitArrival()
        }
        do {
            try session.commit()
        } catch is GroupLost {
            return try giveUpGroup()
        } catch {
            for (operation, _) in waiting { operation.fail(StoreError.unavailable) }
            waiting = []
            throw error
        }
        statistics.committed(session.log)
        answer()
        beginNext()
    }

    private mutating func answer() {
        for (_, finished) in waiting { give(finished.answer) }
        waiting.removeAll(keepingCapacity: true)
    }

    private mutating func beginNext() {
        (hasStaged, count, lingers, gathers) = (false, 0, nil, nil)
    }

    /// The disk is full: nothing that the group wrote is there. Who only read is answered from what is on the disk.
    private mutating func giveUpGroup() throws {
        try session.abandonGroup(hadStaged: hasStaged)
        let lost = waiting
        waiting = []
        beginNext()
        for (operation, finished) in lost where finished.wrote { operation.fail(StoreError.noSpace) }
        try run(lost.filter { !$0.finished.wrote }.map(\.operation))
        if !waiting.isEmpty { try end() }
    }

    /// Runs operations one after the other; a fault answers all that are left, and those who wait.
    private mutating func run(_ operations: [any PendingOperation]) throws {
        for (index, operation) in operations.enumerated() {
            do {
                try run(operation)
            } catch {
                let unanswered = waiting.map(\.operation) + operations[(index + 1)...]
                for operation in unanswered { operation.fail(StoreError.unavailable) }
                waiting = []
                throw error
            }
        }
    }
}
