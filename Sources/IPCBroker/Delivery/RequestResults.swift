internal import IPCInterface
internal import IPCModel
internal import IPCStore

extension OpenURLResult {
    /// What the sender learns. Empty texts are left out.
    init(_ end: RequestEnd, id: RequestID, target: String, changeCount: UInt64?) {
        self.init()
        self.id = id.text
        outcome = end.outcome.rawValue
        application = target
        self.changeCount = changeCount
        items = end.reply.isEmpty ? nil : end.reply
        attempts = end.attempts
        errorName = end.failure.name.isEmpty ? nil : end.failure.name
        errorCode = end.failure.code.isEmpty ? nil : end.failure.code
        errorMessage = end.failure.message.isEmpty ? nil : end.failure.message
    }

    /// The same, from the record of an earlier call.
    init(_ record: RequestRecord, outcome: Outcome) {
        let end = RequestEnd(outcome, attempts: record.attempts, failure: record.failure, reply: record.reply)
        self.init(
            end, id: record.id, target: record.application,
            changeCount: record.changeCount == 0 ? nil : record.changeCount)
    }
}
