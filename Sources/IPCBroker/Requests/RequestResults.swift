internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

extension OpenURLResult {
    /// Creates the result for the sender. Empty error strings are left out.
    init(_ end: RequestEnd, id: RequestID, target: String, changeCount: UInt64?) {
        self.init()
        self.id = id.text
        outcome = end.outcome.rawValue
        application = target
        self.changeCount = changeCount
        items = end.reply.isEmpty ? nil : end.reply
        attempts = end.attempts
        errorName = end.failure.name.nonEmpty
        errorCode = end.failure.code.nonEmpty
        errorMessage = end.failure.message.nonEmpty
    }

    /// Creates the result from the record of an earlier call.
    init(_ record: RequestRecord, outcome: Outcome) {
        self.init(
            RequestEnd(record, outcome), id: record.id, target: record.application.text,
            changeCount: record.changeCount)
    }

    /// Creates the result of a request that has not ended.
    @DBusActor
    init(queued request: PendingRequest) {
        let end = RequestEnd(.queued, attempts: request.life.attempts)
        self.init(end, id: request.id, target: request.application.text, changeCount: request.changeCount)
    }
}

extension RequestEnd {
    init(_ record: RequestRecord, _ outcome: Outcome) {
        self.init(outcome, attempts: record.attempts, failure: record.failure, reply: record.reply)
    }
}

extension RequestFacts {
    /// Describes a request, without its reply, from its record and its state in memory; `nil` if both are missing.
    @DBusActor
    init?(_ record: RequestRecord?, _ pending: PendingRequest?) {
        guard let record else {
            guard let pending else { return nil }
            self.init(pending)
            return
        }
        self.init(record)
        guard let pending, record.state != .ended else { return }
        state = pending.liveState.rawValue
        attempts = pending.life.attempts
        if itemCount == nil, let items = pending.content?.items {
            (itemCount, size) = (UInt32(clamping: items.count), items.byteCount)
        }
    }

    private init(_ record: RequestRecord) {
        self.init()
        (id, url, application) = (record.id.text, record.url, record.application.text)
        (state, outcome) = (record.state == .ended ? "ended" : "waiting", (record.outcome ?? .queued).rawValue)
        lateOutcome = record.lateOutcome?.rawValue
        (sourceApplication, sourceStrength) = (record.source.application, record.source.strength.rawValue)
        // Only a queued request has a time to live.
        queue = record.expiresAt != nil
        pasteboard = record.pasteboard?.text
        changeCount = record.changeCount
        (itemCount, size) = (record.payload?.items, record.payload?.bytes)
        (attempts, parent, retriedAs) = (record.attempts, record.parent?.text, record.retriedAs)
        (accepted, expires, ended) = (record.accepted, record.expiresAt, record.ended)
        errorName = record.failure.name.nonEmpty
        errorCode = record.failure.code.nonEmpty
        errorMessage = record.failure.message.nonEmpty
    }

    /// Describes a request without a record.
    @DBusActor
    init(_ pending: PendingRequest) {
        self.init()
        (id, url, application) = (pending.id.text, pending.content?.url, pending.application.text)
        (state, outcome) = (pending.liveState.rawValue, Outcome.queued.rawValue)
        (sourceApplication, sourceStrength) = (pending.source.application, pending.source.strength.rawValue)
        queue = pending.isQueued
        pasteboard = pending.content?.pasteboard?.text
        changeCount = pending.changeCount
        if let items = pending.content?.items {
            (itemCount, size) = (UInt32(clamping: items.count), items.byteCount)
        }
        (attempts, parent, accepted) = (pending.life.attempts, pending.parent?.text, pending.accepted)
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
