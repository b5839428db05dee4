internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
internal import Logging

/// What the store keeps of open requests, written as they go on; tells those who wait how they ended.
@DBusActor
final class RequestRecords {
    private let store: Store
    private let connection: Connection
    private let clients: BusClients
    private let table: RequestTable
    private let limits: Limits
    private let logger: Logger
    private var isEnding = false
    private let room = DiskRoom()

    init(
        store: Store, connection: Connection, clients: BusClients, table: RequestTable, limits: Limits, logger: Logger
    ) {
        (self.store, self.connection, self.clients, self.table) = (store, connection, clients, table)
        (self.limits, self.logger) = (limits, logger)
    }

    // MARK: On the way

    /// Has an attempt of a queued request written down; gives its number, and what is sent.
    func attempt(
        _ id: RequestID, trace: [TraceStep], takesDescriptors: Bool
    ) async throws -> (attempts: UInt32, content: RequestContent) {
        let limits = limits
        return try await store.commit { transaction in
            let attempt = try transaction.requests.beginAttempt(id, trace: trace)
            let record = attempt.record
            let items = try attempt.items.map {
                try OutgoingValues.handed($0, limits, takesDescriptors: takesDescriptors)
            }
            let content = RequestContent(
                url: record.url, items: items, pasteboard: record.pasteboard,
                changeCount: record.changeCount == 0 ? nil : record.changeCount,
                kept: try KeptContext(of: record))
            return (record.attempts, content)
        }
    }

    /// The handler left without an answer, and the request will come again.
    func noteHandlerLeft(_ request: PendingRequest, isAlone: Bool) {
        let (id, trace) = (request.id, request.takeTrace())
        DBusActor.task {
            // Where it cannot be written, it takes one more crash until the request is parked.
            _ = try? await self.store.commit { try $0.requests.noteSteps(id, trace, isCrash: isAlone) }
        }
    }

    /// The handler answered after the request had ended.
    func answeredLate(_ request: PendingRequest, _ outcome: Outcome) {
        guard request.hasRecord else { return }
        request.note(.answeredLate, who: request.owner?.text ?? "", detail: outcome.rawValue)
        let (id, trace) = (request.id, request.takeTrace())
        DBusActor.task {
            do { try await self.store.commit { try $0.requests.noteLateOutcome(id, outcome, trace: trace) } } catch {
                self.logger.notice(
                    "a late answer could not be kept", metadata: ["request": "\(id)", "reason": "\(error)"])
            }
        }
    }

    // MARK: Ends

    /// A request has ended; without an end where the broker ends first.
    func ended(_ request: PendingRequest, _ end: RequestEnd?) {
        guard let end else {
            keepSteps(of: request)
            table.remove(request)
            return answer(request, .failure(Self.brokerEnded))
        }
        request.note(
            .ended,
            detail: end.failure.code.isEmpty ? end.outcome.rawValue : "\(end.outcome.rawValue): \(end.failure.code)")
        let payload = request.payloadToKeep(after: end)
        guard !end.reply.hasFiles, payload.isAtHand else {
            DBusActor.task { await self.record(end, of: request) }
            return
        }
        let trace = request.takeTrace()
        guard let finish = finishing(request, end, trace) else { return recorded(end, of: request) }
        store.commit(finish(payload)) { result in
            DBusActor.assumeIsolated {
                guard case .failure(let error) = result else { return self.recorded(end, of: request) }
                DBusActor.task { await self.record(end, of: request, after: (error, trace)) }
            }
        }
    }

    /// What has happened with a queued request since it was last written; the next broker goes on from there.
    private func keepSteps(of request: PendingRequest) {
        guard request.isQueued, !request.trace.isEmpty else { return }
        let (id, trace) = (request.id, request.takeTrace())
        // At once, before the store is closed.
        let write: @Sendable (borrowing StoreTransaction) throws -> Void = { try $0.requests.noteSteps(id, trace) }
        store.commit(write) { _ in }
    }

    private func recorded(_ end: RequestEnd, of request: PendingRequest) {
        room.wakeAll()
        conclude(request, end)
    }

    /// What the bus would say if the broker were killed. A request with an id stays without an end, so that its sender
    /// can repeat it with the next broker (I24).
    static let brokerEnded = ErrorReply(
        .noReply, "the broker ended before the request did; repeat it with the same id")

    /// Payload, request and outcome become durable together, before the sender is answered (I1).
    /// - Parameter failed: what came of the first attempt, and the steps that were to be written with it.
    private func record(
        _ end: RequestEnd, of request: PendingRequest, after failed: (error: any Error, trace: [TraceStep])? = nil
    ) async {
        let end = await takenIn(end)
        var failed = failed
        while true {
            do {
                if let (error, trace) = failed {
                    failed = nil
                    try await writeAgain(end, of: request, after: error, trace)
                } else {
                    try await write(end, of: request)
                }
                return recorded(end, of: request)
            } catch {
                guard request.isQueued, (error as? any Condition)?.ipcError.code == .noSpace, !isEnding else {
                    return conclude(request, Self.notRecorded(end, error))
                }
                // It has ended, and the disk has no room to say so: it is said as soon as there is.
                await room.wait()
            }
        }
    }

    private func write(_ end: RequestEnd, of request: PendingRequest) async throws {
        let trace = request.takeTrace()
        guard let finish = finishing(request, end, trace) else { return }
        do {
            try await store.withPayload(request.payloadToKeep(after: end)) { try await store.commit(finish($0)) }
        } catch {
            try await writeAgain(end, of: request, after: error, trace)
        }
    }

    /// An end is not lost because what went with it cannot be kept for a retry; a full disk is another matter.
    private func writeAgain(
        _ end: RequestEnd, of request: PendingRequest, after error: any Error, _ trace: [TraceStep]
    ) async throws {
        do {
            guard (error as? any Condition)?.ipcError.code != .noSpace,
                let finish = finishing(request, end, trace)
            else { throw error }
            try await store.commit(finish(.withheld))
        } catch {
            request.trace = trace + request.trace
            throw error
        }
    }

    /// What the end does in the store, in one step, with what is kept of the payload; nil where nothing is written.
    private func finishing(
        _ request: PendingRequest, _ end: RequestEnd, _ trace: [TraceStep]
    ) -> (@Sendable (RequestPayload) -> @Sendable (borrowing StoreTransaction) throws -> Void)? {
        let (id, hasRecord, group) = (request.id, request.hasRecord, request.group)
        guard hasRecord || group != nil else { return nil }
        return { payload in
            { transaction in
                if let group { try transaction.require(group) }
                if hasRecord { _ = try transaction.requests.finish(id, end, payload: payload, trace: trace) }
            }
        }
    }

    /// The handler has seen it, so this is an end and no error; but it is not on the disk.
    private static func notRecorded(_ end: RequestEnd, _ error: any Error) -> RequestEnd {
        var lost = RequestEnd(
            .failed, code: "not-recorded",
            because: "the request ended as “\(end.outcome.rawValue)”, but the store could not keep it: \(error)")
        lost.attempts = end.attempts
        return lost
    }

    /// The end with what the reply has of descriptors taken in: nobody can change it any more.
    private func takenIn(_ end: RequestEnd) async -> RequestEnd {
        guard end.reply.hasFiles else { return end }
        var end = end
        do {
            end.reply = try await store.intake.take(end.reply, persistent: false, sensitive: true)
        } catch {
            let attempts = end.attempts
            end = .badReply("the handler's reply cannot be passed on: \(error)")
            end.attempts = attempts
        }
        return end
    }

    private func conclude(_ request: PendingRequest, _ end: RequestEnd) {
        table.remove(request)
        request.content = nil
        logger.debug(
            "ended", metadata: ["request": "\(request.id)", "outcome": "\(end.outcome.rawValue)"])
        answer(request, .success(end))
        if request.isQueued, let caller = request.caller, !clients.hasDeparted(caller) {
            try? connection.emit(
                URLs1.requestCompleted, from: Broker1.path, (request.id.text, end.outcome.rawValue), to: caller)
        }
    }

    /// Tells everybody who waits for a request, and those who come later, how it ended.
    func answer(_ request: PendingRequest, _ result: Result<RequestEnd, any Error>) {
        request.conclusion = Boxed(result)
        Slices.forEach(request.takeWaiters()) { self.answer($0, request, result) }
    }

    private func answer(
        _ waiter: RequestWaiter, _ request: PendingRequest, _ result: Result<RequestEnd, any Error>
    ) {
        switch result {
        case .failure(let error): waiter.end(with: .failure(error))
        case .success(let end):
            let whole = OpenURLResult(
                end, id: request.id, target: request.application.text, changeCount: request.changeCount)
            guard end.reply.hasFiles else { return waiter.end(with: .success(whole)) }
            let limits = limits
            DBusActor.task {
                let takesDescriptors = waiter.takesDescriptors
                let fitting = await Background.run { whole.fitting(limits, takesDescriptors: takesDescriptors) }
                waiter.end(with: .success(fitting))
            }
        }
    }

    /// Lets somebody wait for the end of a request, which may have come on the way here.
    func add(_ waiter: RequestWaiter, to request: PendingRequest) {
        if let conclusion = request.conclusion {
            answer(waiter, request, conclusion.content)
        } else {
            request.add(waiter)
        }
    }

    /// Nothing is tried again from now on.
    func finish() {
        isEnding = true
        room.wakeAll()
    }
}

/// Waits for room on a disk that is full. No event tells of it: one of those who wait tries again each second, and when
/// that has gone well all others do.
@DBusActor
private final class DiskRoom {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let timer = DBusTimer()

    func wait() async {
        if !timer.isSet {
            timer.set(at: .now + .seconds(1)) { [weak self] in self?.wakeOne() }
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func wakeOne() {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst().resume()
    }

    /// There is room.
    func wakeAll() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}

extension PendingRequest {
    /// What stays with the record of a request that came without one and was not handled, so that it can be retried.
    fileprivate func payloadToKeep(after end: RequestEnd) -> RequestPayload {
        guard !isQueued, end.outcome != .handled, let items = content?.items else { return .none }
        guard keepsPayload else { return .withheld }
        if items.hasFiles, let pasteboard = content?.pasteboard, let changeCount {
            return .version(of: pasteboard, changeCount: changeCount)
        }
        return items.hasFiles ? .withheld : .items(items)
    }
}

extension RequestPayload {
    /// Whether nothing has to be taken over to the disk first.
    fileprivate var isAtHand: Bool {
        switch self {
        case .none, .withheld: true
        case .items(let items): !items.hasFiles
        case .version: false
        }
    }
}

extension [PasteboardItem] {
    var byteCount: UInt64 { reduce(0) { $0 + UInt64($1.byteCount) } }
}

extension OpenURLResult {
    /// The result as somebody gets it who takes descriptors or does not. A reply that fits no message is left out.
    func fitting(_ limits: Limits, takesDescriptors: Bool) -> OpenURLResult {
        guard let reply = items else { return self }
        var result = self
        do {
            result.items = try OutgoingValues(limits, takesDescriptors: takesDescriptors).prepare(reply).reopened()
        } catch {
            result.items = nil
            result.errorCode = "reply-too-large"
            result.errorMessage = "the reply has \(reply.byteCount) bytes and was left out; ask with “fd”"
        }
        return result
    }
}
