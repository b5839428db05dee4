internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

struct Retry: Sendable {
    let earlier: RequestRecord
    let id: RequestID
    var application: ApplicationID { earlier.application }
    /// The digest that distinguishes a repeated retry from a different call with the same id.
    let digest: ContentDigest

    init(of earlier: RequestRecord, as id: RequestID) {
        (self.earlier, self.id) = (earlier, id)
        var arguments = CallArguments()
        arguments.add("retry", earlier.id.text)
        digest = arguments.digest
    }
}

extension RequestAcceptance {
    /// Queues an ended request again, with its payload.
    func accept(_ retry: Retry, by caller: BusName?) async throws {
        let earlier = retry.earlier
        let size = (earlier.payload?.bytes ?? 0) + UInt64(earlier.url.utf8.count)
        let payer = deliveries.context.clients.payer(earlier.source, caller)
        try table.checkRoom(for: retry.application, payer: payer, size: size, isQueued: true)
        let (time, life) = RequestTimeout.ofRetry(
            timeout: earlier.timeout, timeToLive: earlier.expiresAt.map { $0 - min($0, earlier.accepted) }, limits)
        let pending = PendingRequest(
            id: retry.id, application: retry.application, source: earlier.source, payer: payer, caller: caller,
            senderQueue: SenderQueueKey(earlier.source, caller?.text ?? ""),
            life: RequestLife(isQueued: true), hasRecord: true, digest: retry.digest, size: size,
            answerTime: .milliseconds(Int(clamping: time)), expiry: .now + .milliseconds(Int(clamping: life)))
        pending.changeCount = earlier.changeCount
        pending.note(
            .queued, who: caller?.text ?? "", size: earlier.payload?.bytes ?? 0, detail: "retry of \(earlier.id)")
        try deliveries.enqueue(pending)
        let (writer, trace) = (writer(of: pending), pending.takeTrace())
        do {
            let known = try await store.commit { transaction in
                let request = RequestRecord(
                    id: retry.id, arguments: retry.digest, state: .queued, source: earlier.source, caller: writer,
                    application: retry.application, url: earlier.url, pasteboard: earlier.pasteboard,
                    changeCount: earlier.changeCount, timeout: time, accepted: transaction.now,
                    expiresAt: transaction.now + life, context: earlier.context)
                return try transaction.requests.retry(earlier.id, request, trace: trace)
            }
            if let known {
                // The same retry was made before, and its request has ended.
                return withdraw(pending, .success(RequestEnd(known, known.outcome ?? .queued)))
            }
            pending.stored()
        } catch {
            refuse(pending, error, restoring: nil)
            throw error
        }
    }
}
