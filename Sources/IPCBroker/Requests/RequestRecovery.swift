internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// What an earlier broker has left.
extension URLsService {
    /// Takes over the requests that have not ended. Queued requests take their places in their sender queues, in the order
    /// of acceptance. Requests whose senders waited wait for their senders.
    func recover() async throws {
        var place: RequestPlace? = .start
        while let from = place {
            let page = try await store.commit { try $0.requests.unended(from: from, limit: 1_000) }
            for record in page.requests { try recover(record) }
            place = page.next
        }
    }

    /// How long a sender has to come back: longer than the library needs to connect again (I24).
    private static let patience = Duration.seconds(30)

    private func recover(_ record: RequestRecord) throws {
        guard table[record.id] == nil, let stated = try? ApplicationID(record.application) else { return }
        let connection = acceptance.connection(of: record)
        let application = table.shared(stated)
        let payer = Payer(text: record.payer.text)
        let source = table.shared(record.source, payer: payer)
        let isQueued = record.state == .queued
        let left = record.expiresAt.map { $0 - min($0, SystemClock.milliseconds()) } ?? 0
        let pending = PendingRequest(
            id: record.id, application: application, source: source, payer: payer, caller: connection,
            senderQueue: SenderQueueKey(source, connection?.text ?? record.caller),
            life: RequestLife(recovered: isQueued, attempts: record.attempts, crashes: record.crashes), hasRecord: true,
            digest: record.arguments, size: (record.payload?.bytes ?? 0) + UInt64(record.url.utf8.count),
            parent: record.parent, depth: record.depth,
            answerTime: .milliseconds(Int(clamping: record.timeout)),
            expiry: .now + (isQueued ? .milliseconds(Int(clamping: left)) : Self.patience),
            accepted: record.accepted)
        pending.changeCount = record.changeCount == 0 ? nil : record.changeCount
        pending.note(.recovered)
        if !isQueued { pending.desktop = (try? KeptContext(of: record)).flatMap { DesktopHandler($0) } }
        try deliveries.enqueue(pending)
    }
}

extension RequestAcceptance {
    /// The connection that sent a request, where it is one of this bus.
    func connection(of record: RequestRecord) -> BusName? {
        promises.connection(record.connection).flatMap { try? BusName($0) }
    }

    /// How the store keeps who sent a request: its connection of this bus, and its process.
    func writer(of request: PendingRequest) -> String {
        let writer = promises.writer(request.caller)
        guard let process = deliveries.surroundings.clients.process(of: request.caller) else { return writer }
        return "\(writer) \(process.text)"
    }
}
