internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// The methods that query a request, or act on it, by its id. Any caller that knows the id may use them.
extension URLsService {
    func getRequest(_ text: String, _ call: IncomingCall) async throws -> RequestFacts {
        let id = try RequestID(text)
        let record = try await store.commit { try $0.requests.record(id) }
        guard var facts = RequestFacts(record, table[id]) else { throw RequestError.noSuchRequest(id) }
        facts.items = record.flatMap { $0.reply.isEmpty ? nil : $0.reply }
        return facts
    }

    /// Answers with the outcome of a request or, when the time expires, with its state. A waiting call needs no task.
    func waitRequest(
        _ input: (String, WaitRequestOptions), _ call: IncomingCall, _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) async throws {
        let id = try RequestID(input.0)
        if let result = try await result(of: id) { return answer(.success(result)) }
        try observe(id, input.1, call, answer)
    }

    /// The result of a request from its record; `nil` if the request is in memory.
    private func result(of id: RequestID) async throws -> OpenURLResult? {
        guard table[id] == nil else { return nil }
        let record = try await record(id)
        // The request may have ended, or come into memory, in the meantime.
        if let outcome = record.outcome { return OpenURLResult(record, outcome: outcome) }
        return table[id] == nil ? OpenURLResult(record, outcome: .queued) : nil
    }

    private func record(_ id: RequestID) async throws -> RequestRecord {
        guard let record = try await store.commit({ try $0.requests.record(id) }) else {
            throw RequestError.noSuchRequest(id)
        }
        return record
    }

    private func observe(
        _ id: RequestID, _ options: WaitRequestOptions, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) throws {
        guard let pending = table[id] else { throw RequestError.noSuchRequest(id) }
        try table.checkRoomForWaiter(of: call.sender)
        let waiter = RequestWaiter(call.sender, .observer, takesDescriptors: options.fd ?? false)
        begin(waiter, call, answer)
        let time = limits.waitTime(stated: options.timeout)
        waiter.giveUp(after: .milliseconds(Int(time))) { OpenURLResult(queued: self.table[id] ?? pending) }
        records.add(waiter, to: pending)
    }

    /// Cancels a request. Unless the handler has it, the answer waits until the end is on disk: a later broker must not
    /// deliver a request whose cancellation was acknowledged (I1).
    func cancelRequest(
        _ text: String, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<Void>
    ) async throws {
        let id = try RequestID(text)
        guard let pending = table[id] else {
            _ = try await record(id)
            return answer(.success(()))
        }
        pending.handle(.calledOff(.calledOff))
        guard !pending.life.isDelivered else { return answer(.success(())) }
        let waiter = RequestWaiter(call.sender, .canceller, takesDescriptors: false)
        begin(waiter, call) { result in answer(result.map { _ in }) }
        records.add(waiter, to: pending)
    }

    func dropRequest(_ text: String, _ call: IncomingCall) async throws {
        let id = try RequestID(text)
        guard table[id] == nil else {
            throw IPCError(.invalidArguments, "the request \(id.text.quoted) has not ended; cancel it first")
        }
        try await store.drop(id)
    }

    func listRequests(_ options: ListRequestsOptions, _ call: IncomingCall) async throws -> [RequestFacts] {
        let most = min(try limits.page(options.limit), options.limit == nil ? 100 : .max)
        let filter = try RequestFilter(options, onlySource: await ownSource(of: call.sender))
        let after = try options.after.map { try RequestID($0) }
        try await arrivals.turn(ofList: call, in: room)
        // Requests without a record are listed last.
        let unrecorded = table.unrecorded()
        if let after, let place = unrecorded.firstIndex(where: { $0.id == after }) {
            return unrecorded[(place + 1)...].lazy.filter { filter.matches($0) }.prefix(most).map { RequestFacts($0) }
        }
        let delivered = table.delivered
        let records = try await store.requests(after: after, limit: most) {
            filter.matches($0, isDelivered: delivered.contains($0.id))
        }
        let rows = records.compactMap { RequestFacts($0, table[$0.id]) }
        let rest = unrecorded.lazy.filter { filter.matches($0) }.prefix(most - rows.count).map { RequestFacts($0) }
        return rows + rest
    }

    /// The only source whose requests a sandboxed caller may see; `nil` for a caller that may see all.
    private func ownSource(of name: BusName?) async -> String? {
        let caller = await clients.caller(name)
        if caller.visibility.isWhole { return nil }
        // An unknown caller gets a source that matches nothing.
        return caller.source.strength == .sandboxed ? caller.source.application : "\0"
    }

    func traceRequest(_ text: String, _ call: IncomingCall) async throws -> [TraceFacts] {
        let id = try RequestID(text)
        let record = try await store.commit { try $0.requests.record(id) }
        let pending = table[id]
        guard record != nil || pending != nil else { throw RequestError.noSuchRequest(id) }
        return ((record?.trace ?? []) + (pending?.trace ?? [])).map { TraceFacts($0) }
    }

    func retryRequest(_ text: String, _ options: RetryRequestOptions, _ call: IncomingCall) async throws -> String {
        let (id, newID) = (try RequestID(text), try options.id.map { try RequestID($0) } ?? .random())
        guard table[id] == nil else {
            throw IPCError(.invalidArguments, "the request \(id.text.quoted) has not ended, so it cannot be retried")
        }
        let record = try await record(id)
        guard try KeptContext(of: record).desktopEntry == nil else {
            throw IPCError(
                .noHandler,
                "the request \(id.text.quoted) went to a desktop application, for which nothing can be "
                    + "queued; open the URL again")
        }
        let again = Retry(of: record, as: newID)
        if let pending = table[newID] {
            guard pending.digest == again.digest else { throw RequestError.identifierReused(newID) }
            _ = try await withCheckedThrowingContinuation { continuation in
                join(pending, call) { continuation.resume(with: $0) }
            }
            return newID.text
        }
        if let known = try await store.commit({ try $0.requests.record(newID) }) {
            // The repeated call adds no request, so it does not matter whether a new one would be accepted (I10).
            guard known.arguments == again.digest else { throw RequestError.identifierReused(newID) }
            return newID.text
        }
        try schemes.policies.check(record.source, opens: record.application)
        try await acceptance.accept(again, by: call.sender)
        return newID.text
    }
}

struct RequestFilter: Sendable {
    private let state: RequestState?
    private let outcome: Outcome?
    private let application: String?
    private let source: String?

    init(_ options: ListRequestsOptions, onlySource source: String?) throws {
        state = options.state.flatMap { RequestState(rawValue: $0) }
        // “delivered” is both a state and an outcome. Here it means the state.
        outcome = state == nil ? options.state.flatMap { Outcome(rawValue: $0) } : nil
        guard options.state == nil || state != nil || outcome != nil else {
            let words = RequestState.allCases.map(\.rawValue) + Outcome.allCases.map(\.rawValue)
            throw IPCError(
                .invalidArguments,
                "“state” must be one of \(words.joined(separator: ", ")), not \((options.state ?? "").quoted)")
        }
        application = try options.application.map { try ApplicationID($0).text }
        self.source = source
    }

    func matches(_ record: RequestRecord, isDelivered: Bool) -> Bool {
        matches(
            state: record.state == .ended ? .ended : isDelivered ? .delivered : .waiting,
            outcome: record.outcome ?? .queued,
            application: record.application.text, source: record.source)
    }

    @DBusActor
    func matches(_ pending: PendingRequest) -> Bool {
        matches(
            state: pending.liveState, outcome: .queued, application: pending.application.text,
            source: pending.source)
    }

    private func matches(state: RequestState, outcome: Outcome, application: String, source: Source) -> Bool {
        (self.state ?? state) == state && (self.outcome ?? outcome) == outcome
            && (self.application ?? application) == application
            && (self.source ?? source.application) == source.application
    }
}

enum RequestState: String, Sendable, CaseIterable {
    case waiting
    case delivered
    case ended
}

extension PendingRequest {
    var liveState: RequestState { life.isDelivered ? .delivered : .waiting }
}

extension TraceFacts {
    init(_ step: TraceStep) {
        self.init()
        (time, self.step, attempt) = (step.time.millisecondsSince1970, step.kind.rawValue, step.attempt)
        who = step.who.isEmpty ? nil : step.who
        size = step.size == 0 ? nil : step.size
        detail = step.detail.isEmpty ? nil : step.detail
    }
}
