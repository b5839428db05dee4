internal import Dispatch

/// The work of the store's thread: operations in the order in which they came, many of them in one transaction.
///
/// While one group is on its way to the disk the next one gathers. A group ends when nothing more is there to run and
/// somebody waits for the disk, or when what was only staged has lingered long enough. With nothing to do the thread
/// sleeps without a deadline.
struct GroupCommit {
    let session: StoreSession
    let queue: OperationQueue
    let statistics: StoreStatistics

    /// Operations that ran and are answered when the group is on the disk.
    private var waiting: [(operation: any PendingOperation, finished: FinishedOperation)] = []
    private var hasStaged = false
    private var count = 0
    private var deadline: DispatchTime?

    /// Operations after which a group ends although more are there, so that the first ones do not wait for ever.
    private static let most = 1_024

    init(_ session: StoreSession, _ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.session, self.queue, self.statistics) = (session, queue, statistics)
    }

    /// Works until the store is to be closed; throws the fault after which nothing more may be acknowledged.
    mutating func work() throws {
        while true {
            switch queue.next(until: deadline) {
            case .run(let operations):
                try gather(operations)
            case .nothing:
                try end()
            case .stop:
                try end()
                return
            }
            try session.log.checkpointIfLong()
        }
    }

    /// Runs operations, and those that come meanwhile, then ends the group where somebody waits for it.
    private mutating func gather(_ first: [any PendingOperation]) throws {
        var operations = first
        while !operations.isEmpty {
            try run(operations)
            operations = count < Self.most ? queue.takeAll() : []
        }
        if !waiting.isEmpty || count >= Self.most { try end() }
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
            deadline = deadline ?? .now() + .milliseconds(Int(session.configuration.lingerMilliseconds))
        }
        finished.answer()
    }

    /// Brings the group to the disk and answers those who wait for it.
    private mutating func end() throws {
        let isEarly = session.configuration.control == .acknowledgeBeforeCommit
        if isEarly, session.isDirty {
            answer()
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
        for (_, finished) in waiting { finished.answer() }
        waiting.removeAll(keepingCapacity: true)
    }

    private mutating func beginNext() {
        (hasStaged, count, deadline) = (false, 0, nil)
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
