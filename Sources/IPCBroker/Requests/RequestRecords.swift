internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
internal import Logging

/// Writes the progress of requests to the store, and reports their outcomes to waiting calls.
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

    /// Records the next delivery attempt of a queued request, and reads the content to deliver.
    func attempt(
        _ id: RequestID, trace: [TraceStep], takesDescriptors: Bool
    ) async throws -> (attempts: UInt32, content: RequestContent) {
        let outgoing = OutgoingValues(limits, takesDescriptors: takesDescriptors)
        return try await store.commit { transaction in
            let attempt = try transaction.requests.beginAttempt(id, trace: trace)
            let record = attempt.record
            let content = RequestContent(
                url: record.url, items: try attempt.items.map { try outgoing.handed($0) },
                pasteboard: record.pasteboard,
                changeCount: record.changeCount,
                kept: try KeptContext(of: record))
            return (record.attempts, content)
        }
    }

    /// Notes that the handler left without answering. The request will be redelivered.
    func noteHandlerLeft(_ request: PendingRequest, isAlone: Bool) {
        let (id, trace) = (request.id, request.takeTrace())
        DBusActor.task {
            // If this write fails, the crash is not counted, so the request is parked (dead-lettered) one crash later.
            _ = try? await self.store.commit { try $0.requests.noteSteps(id, trace, isCrash: isAlone) }
        }
    }

    func answeredLate(_ request: PendingRequest, _ outcome: Outcome) {
        guard request.hasRecord else { return }
        request.note(.answeredLate, who: request.owner?.text ?? "", detail: outcome.rawValue)
        let (id, trace) = (request.id, request.takeTrace())
        DBusActor.task {
            do { try await self.store.commit { try $0.requests.noteLateOutcome(id, outcome, trace: trace) } } catch {
                self.logger.notice(
                    "a late answer could not be stored", metadata: ["request": "\(id)", "reason": "\(error)"])
            }
        }
    }

    /// Handles the end of a request. `end` is `nil` if the broker stops first.
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
        guard !end.reply.hasFiles, payload.isAtHand, !isLarge(end, of: request, with: payload) else {
            DBusActor.task { await self.record(end, of: request) }
            return
        }
        let trace = request.takeTrace()
        guard let finish = finishing(request, end, trace) else { return recorded(end, of: request) }
        store.commit(finish(payload)) { result in
            guard case .failure(let error) = result else { return self.recorded(end, of: request) }
            DBusActor.task { await self.record(end, of: request, after: (error, trace)) }
        }
    }

    /// Stores the newest steps of a queued request, so that the next broker has them.
    private func keepSteps(of request: PendingRequest) {
        guard request.isQueued, !request.trace.isEmpty else { return }
        let (id, trace) = (request.id, request.takeTrace())
        // Start the write without a task, which might run only after the store has been closed.
        let write: @Sendable (borrowing StoreTransaction) throws -> Void = { try $0.requests.noteSteps(id, trace) }
        store.commit(write) { _ in }
    }

    private func recorded(_ end: RequestEnd, of request: PendingRequest) {
        room.wakeAll()
        conclude(request, end)
    }

    /// The error that the bus would send if the broker were killed. A request with an id is left without an outcome, so
    /// that its sender can repeat it with the next broker (I24).
    static let brokerEnded = ErrorReply(
        .noReply, "the broker stopped before the request ended; repeat it with the same id")

    /// Makes the payload, the request and the outcome durable together, before the sender is answered (I1).
    /// - Parameter failed: the error of the first attempt to write, and the trace steps that were not written.
    private func record(
        _ end: RequestEnd, of request: PendingRequest, after failed: (error: any Error, trace: [TraceStep])? = nil
    ) async {
        let end = await takenIn(end)
        var failed = failed
        while true {
            do {
                try await write(end, of: request, after: failed)
                return recorded(end, of: request)
            } catch {
                guard request.isQueued, error.isFullDisk, !isEnding else {
                    return conclude(request, Self.notRecorded(end, error))
                }
                failed = nil
                for canceller in request.takeCancellers() { canceller.end(with: .failure(error)) }
                // The disk is full: the outcome is written as soon as there is space.
                await room.wait()
            }
        }
    }

    /// Writes a request's end and the payload for a retry. If this fails but the disk is not full, writes just the end.
    private func write(
        _ end: RequestEnd, of request: PendingRequest, after failed: (error: any Error, trace: [TraceStep])?
    ) async throws {
        let trace = failed?.trace ?? request.takeTrace()
        guard let finish = finishing(request, end, trace) else { return }
        do {
            do {
                if let failed { throw failed.error }
                try await store.withPayload(request.payloadToKeep(after: end)) {
                    try await store.commit(isLarge: isLarge(end, of: request, with: $0), finish($0))
                }
            } catch  where !error.isFullDisk {
                try await store.commit(isLarge: isLarge(end, of: request, with: .withheld), finish(.withheld))
            }
        } catch {
            request.trace = trace + request.trace
            throw error
        }
    }

    /// Whether the store writes or deletes much at the end of a request: its payload and its reply.
    private func isLarge(_ end: RequestEnd, of request: PendingRequest, with payload: RequestPayload) -> Bool {
        let deletes = request.isQueued && end.outcome.isTaken
        return !(payload.items + end.reply).areSmall
            || deletes && !LargeOperations.areSmall(inlineBytes: request.size, values: 0)
    }

    /// Returns the store operation that ends a request and keeps a given payload; `nil` if nothing has to be written.
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

    /// The end to report for a request that the handler has seen, but whose real end could not be stored.
    private static func notRecorded(_ end: RequestEnd, _ error: any Error) -> RequestEnd {
        RequestEnd(
            .failed, attempts: end.attempts,
            failure: .init(
                code: "not-recorded",
                message: "the request ended as “\(end.outcome.rawValue)”, but this could not be stored: \(error)"))
    }

    /// The end, with the broker's own copies of the files in the reply, which the handler can no longer change.
    private func takenIn(_ end: RequestEnd) async -> RequestEnd {
        guard end.reply.hasFiles else { return end }
        var end = end
        do {
            end.reply = try await store.intake.take(end.reply, persistent: false, sensitive: true)
            return end
        } catch {
            return RequestEnd(
                .failed, attempts: end.attempts,
                failure: .init(code: "bad-reply", message: "the handler's reply cannot be passed on: \(error)"))
        }
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

    /// Reports the end of a request to the calls that are waiting for it, and keeps the end for calls added later.
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

    /// Adds a call that waits for the end of a request. If the request has ended already, answers at once.
    func add(_ waiter: RequestWaiter, to request: PendingRequest) {
        if let conclusion = request.conclusion {
            answer(waiter, request, conclusion.content)
        } else {
            request.add(waiter)
        }
    }

    /// Stops retrying writes that failed because the disk is full.
    func finish() {
        isEnding = true
        room.wakeAll()
    }
}

/// Waits for space on a full disk. Nothing reports free space, so one of the waiting tasks tries to write again each
/// second. Once a write succeeds, all the others try too.
@DBusActor
private final class DiskRoom {
    private let waiting = Waiters()
    private let timer = DBusTimer()

    func wait() async {
        if !timer.isSet {
            timer.set(at: .now + .seconds(1)) { [weak self] in self?.waiting.resumeOne() }
        }
        await waiting.wait { true }
    }

    func wakeAll() { waiting.resumeAll() }
}

extension PendingRequest {
    /// The payload to store for a retry: none after success, or for a queued request, whose payload is already stored.
    fileprivate func payloadToKeep(after end: RequestEnd) -> RequestPayload {
        guard !isQueued, end.outcome != .handled, let items = content?.items else { return .none }
        guard keepsPayload else { return .withheld }
        if items.hasFiles, let pasteboard = content?.pasteboard, let changeCount {
            return .version(of: pasteboard, changeCount: changeCount)
        }
        return items.hasFiles ? .withheld : .items(items)
    }
}

extension Error {
    fileprivate var isFullDisk: Bool { (self as? any Condition)?.ipcError.code == .noSpace }
}

extension RequestPayload {
    /// Whether the payload can be written without copying anything to disk first.
    fileprivate var isAtHand: Bool {
        switch self {
        case .none, .withheld: true
        case .items(let items): !items.hasFiles
        case .version: false
        }
    }
}

extension RequestPayload {
    fileprivate var items: [PasteboardItem] { if case .items(let items) = self { items } else { [] } }
}

extension [PasteboardItem] {
    var byteCount: UInt64 { reduce(0) { $0 + UInt64($1.byteCount) } }
}

extension OpenURLResult {
    /// The result for a caller that does or does not take descriptors. A reply too large for a message is left out.
    func fitting(_ limits: Limits, takesDescriptors: Bool) -> OpenURLResult {
        guard let reply = items else { return self }
        var result = self
        do {
            result.items = try OutgoingValues(limits, takesDescriptors: takesDescriptors).prepare(reply).reopened()
        } catch {
            result.items = nil
            result.errorCode = "reply-too-large"
            result.errorMessage = "the reply has \(reply.byteCount) bytes and was left out; set “fd” to get it"
        }
        return result
    }
}
