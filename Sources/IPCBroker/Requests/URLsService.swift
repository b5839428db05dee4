internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.URLs1`: accepts `OpenURL` requests, delivers them, and reports their outcomes.
@DBusActor
final class URLsService {
    let store: Store
    let clients: BusClients
    let table: RequestTable
    let deliveries: Deliveries
    let limits: Limits
    var records: RequestRecords { deliveries.context.records }
    let schemes: SchemesService
    let arrivals: ArrivalOrder
    let acceptance: RequestAcceptance
    private let descriptors: DescriptorBudget
    let room: AnswerRoom
    private var isEnding = false

    init(
        store: Store, schemes: SchemesService, clients: BusClients, arrivals: ArrivalOrder, table: RequestTable,
        deliveries: Deliveries, acceptance: RequestAcceptance, descriptors: DescriptorBudget, room: AnswerRoom,
        limits: Limits
    ) {
        (self.store, self.schemes, self.clients, self.arrivals) = (store, schemes, clients, arrivals)
        (self.table, self.deliveries, self.acceptance) = (table, deliveries, acceptance)
        (self.descriptors, self.room, self.limits) = (descriptors, room, limits)
        schemes.registered = { [weak deliveries] application, isOwner in
            deliveries?.registered(application, isOwner: isOwner)
        }
        schemes.refusal = { [weak deliveries] in deliveries?.refusal(of: $0) }
    }

    // MARK: OpenURL

    /// Accepts a request. Answers once the request has ended or, if queued, is on disk. No task waits for the end.
    func openURL(
        _ input: (String, OpenURLOptions), _ call: IncomingCall, _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) async throws {
        let request = try ValidatedRequest(url: input.0, options: input.1, limits: limits)
        let files = request.items?.fileCount ?? 0
        if files > 0 { call.keepUntilAnswered(try descriptors.charge(files, to: call.sender)) }
        guard !isEnding else { throw RequestRecords.brokerEnded }
        // A repeated call adds no request, so it joins the first call's request even if `calls-in-turn` is reached.
        if files == 0, let pending = try underWay(request, request.items) {
            return join(pending, call, takesDescriptors: request.takesDescriptors, answer)
        }
        do {
            try await arrivals.inTurn(of: call.sender) {
                let destination = try await self.destination(of: request, call)
                // Keep the turn until a large payload is in the store, so that no later call overtakes it, and so that
                // the broker holds one copy for each caller at most (I16).
                guard request.isLargeWrite || request.mayCopyVersion else {
                    return try self.accept(request, for: destination, call, answer)
                }
                try await self.acceptAndStore(request, for: destination, call, answer)
            }
        } catch {
            answer(.success(try await earlierResult(of: request, insteadOf: error)))
        }
    }

    /// The recorded result of an ended request. A repeated call gets it even if no new request would be accepted.
    /// - Throws: `error` if it is not about the acceptance of new requests, or if no ended request is recorded;
    ///   `identifierReused` if the recorded request has other arguments.
    private func earlierResult(
        of request: ValidatedRequest, insteadOf error: any Error
    ) async throws -> OpenURLResult {
        guard error.isAboutAcceptance, let id = request.id,
            let record = try await store.commit({ try $0.requests.record(id) }), let outcome = record.outcome
        else { throw error }
        var items = request.items
        if let files = items, files.hasFiles {
            // The items are needed only for their digests, so they must not touch the disk.
            items = try await store.intake.take(files, persistent: false, sensitive: true)
        }
        guard record.arguments == (try request.digest(items)) else { throw RequestError.identifierReused(id) }
        return OpenURLResult(record, outcome: outcome)
    }

    /// Chooses the source and the handler of a request, and takes in the files of its payload.
    private func destination(of request: ValidatedRequest, _ call: IncomingCall) async throws -> Destination {
        if let id = request.id, let pending = table[id], !pending.life.hasEnded || !pending.life.isOrphan {
            // The first call with this id chose the handler. Later changes of claims and policies do not matter.
            return Destination(
                source: pending.source, application: pending.application, desktop: pending.desktop,
                items: try await acceptance.takenIn(request))
        }
        let caller = await clients.caller(call.sender, stating: request.source)
        if let name = request.pasteboard { try caller.visibility.check(name) }
        var resolution = await schemes.resolve(request.url, pinned: request.application, queued: request.isQueued)
        let desktop = try await schemes.desktopHandler(of: request, &resolution, for: caller)
        let application = try target(resolution, request, caller.source)
        return Destination(
            source: caller.source, application: application, desktop: desktop,
            items: try await acceptance.takenIn(request))
    }

    /// Checks that a request may be accepted, and returns its handler.
    private func target(
        _ resolution: Resolution, _ request: ValidatedRequest, _ source: Source
    ) throws -> ApplicationID {
        let application = try resolution.acceptance(queued: request.isQueued)
        try schemes.policies.check(source, opens: application)
        let depth = table.depth(below: request.parent)
        guard UInt64(depth) <= limits.loopDepth else {
            throw IPCError(
                .loopDetected,
                "\(depth) handlers have opened each other's URLs in a row; the limit is \(limits.loopDepth)")
        }
        if !request.isQueued, !resolution.running, let refusal = deliveries.refusal(of: application) {
            throw IPCError(.handlerUnavailable, refusal)
        }
        return application
    }

    /// The request of an earlier call with the same id, if it is in progress. A request that an earlier broker left is
    /// not in progress until a call repeats it.
    private func underWay(_ request: ValidatedRequest, _ items: [PasteboardItem]?) throws -> PendingRequest? {
        guard let id = request.id, let pending = table[id] else { return nil }
        guard pending.digest == (try request.digest(items)) else { throw RequestError.identifierReused(id) }
        return pending.life.isOrphan && !pending.life.hasEnded ? nil : pending
    }

    /// Enqueues a request, and returns when it is stored or was refused.
    private func acceptAndStore(
        _ request: ValidatedRequest, for destination: Destination, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) async throws {
        try await withCheckedThrowingContinuation { (stored: CheckedContinuation<Void, any Error>) in
            do { try accept(request, for: destination, call, answer) { stored.resume() } } catch {
                stored.resume(throwing: error)
            }
        }
    }

    /// Enqueues a request before this function returns, so that the requests of one caller keep their order.
    /// - Parameter stored: runs once the request is stored or was refused; not if this throws.
    private func accept(
        _ request: ValidatedRequest, for destination: Destination, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>, then stored: @escaping @DBusActor () -> Void = {}
    ) throws {
        if let pending = try underWay(request, destination.items) {
            join(pending, call, takesDescriptors: request.takesDescriptors, answer)
            return stored()
        }
        let digest = try request.id.map { _ in try request.digest(destination.items) }
        // The request with the same id, if an earlier broker left it.
        let earlier = request.id.flatMap { table[$0] }
        let pending = try acceptance.begin(
            request, for: destination, digest, by: call.sender, after: earlier)
        call.releaseShare()
        acceptance.accept(pending, request, destination.items, restoring: earlier) { result in
            stored()
            do { try self.accepted(pending, request, try result.get(), call, answer) } catch {
                DBusActor.begin {
                    do { answer(.success(try await self.earlierResult(of: request, insteadOf: error))) } catch {
                        answer(.failure(error))
                    }
                }
            }
        }
    }

    private func accepted(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ acceptance: Acceptance, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) throws {
        switch acceptance {
        case .ended(let record, let outcome):
            pending.changeCount = record.changeCount
            self.acceptance.withdraw(pending, .success(RequestEnd(record, outcome)))
            answer(.success(OpenURLResult(record, outcome: outcome)))
        case .bound(let payload):
            if let added = payload.newPasteboard { try call.announceAdded(added) }
            if request.isQueued { return answer(.success(pending.stored())) }
            awaitEnd(of: pending, request, call, answer)
        }
    }

    /// Makes a request ready for delivery, and answers its sender once it has ended.
    private func awaitEnd(
        of pending: PendingRequest, _ request: ValidatedRequest, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) {
        let waiter = RequestWaiter(call.sender, .sender, takesDescriptors: request.takesDescriptors)
        begin(waiter, call, answer)
        records.add(waiter, to: pending)
        if let caller = call.sender, clients.hasDeparted(caller) { callerLeft(caller) }
        pending.handle(.stored)
    }

    /// Answers a repeated call once the request has ended or, if it is queued, is on disk. Such a call has no further
    /// effect, and gets the same result as the first one (I10).
    func join(
        _ pending: PendingRequest, _ call: IncomingCall, takesDescriptors: Bool = false,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) {
        if pending.isQueued, pending.life.isAccepted { return answer(.success(OpenURLResult(queued: pending))) }
        do { try table.checkRoomForWaiter(of: call.sender) } catch { return answer(.failure(error)) }
        let waiter = RequestWaiter(call.sender, .repetition, takesDescriptors: takesDescriptors)
        begin(waiter, call, answer)
        if !pending.isQueued {
            records.add(waiter, to: pending)
        } else if let conclusion = pending.conclusion {
            waiter.end(with: conclusion.content.map { _ in OpenURLResult(queued: pending) })
        } else {
            pending.addToAcceptance(waiter)
        }
    }

    /// Keeps a waiting call in the table until it is answered.
    func begin(_ waiter: RequestWaiter, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<OpenURLResult>) {
        call.endTurn()
        table.note(waiter)
        waiter.begin { result in
            self.table.forget(waiter)
            answer(result)
        }
    }

    // MARK: Departures and shutdown

    /// Cancels the undelivered requests of a sender that has left.
    func callerLeft(_ caller: BusName) {
        Slices.forEach(table.takeWaiters(of: caller)) { waiter in
            let request = waiter.request
            waiter.end(with: .failure(ErrorReply(.noReply, "the caller has disconnected")))
            guard let request, waiter.isSender || self.clients.hasDeparted(request.caller) else { return }
            self.cancelUnwanted(request)
        }
    }

    private func cancelUnwanted(_ request: PendingRequest) {
        // Keep a request that another call is still waiting for.
        guard !request.isQueued, request.waiters.isEmpty, request.life.isUnsent || request.life.isLeaving else {
            return
        }
        request.handle(.calledOff(.senderLeft))
    }

    /// Stops accepting requests, and waits a limited time for outstanding answers.
    func finish(within patience: Duration) async {
        isEnding = true
        await deliveries.finish(within: patience)
    }

    // MARK: Recovery

    /// Takes over the requests that an earlier broker left without an outcome. Queued requests enter their sender
    /// queues in the order of acceptance. All other requests wait until their senders repeat them.
    func recover() async throws {
        var place: RequestPlace? = .start
        while let from = place {
            let page = try await store.commit { try $0.requests.unended(from: from, limit: 1_000) }
            for record in page.requests { try recover(record) }
            place = page.next
        }
    }

    private func recover(_ record: RequestRecord) throws {
        guard table[record.id] == nil else { return }
        let connection = acceptance.connection(of: record)
        let application = table.shared(record.application)
        let payer = Payer(text: record.payer.text)
        let source = table.shared(record.source, payer: payer)
        let isQueued = record.state == .queued
        // Never longer than the whole time to live, because the clock may have been set back.
        let left = record.expiresAt.map { $0 - min($0, max(record.accepted, SystemClock.milliseconds())) } ?? 0
        let pending = PendingRequest(
            id: record.id, application: application, source: source, payer: payer, caller: connection,
            senderQueue: SenderQueueKey(source, connection?.text ?? record.caller),
            life: RequestLife(recovered: isQueued, attempts: record.attempts, crashes: record.crashes), hasRecord: true,
            digest: record.arguments, size: (record.payload?.bytes ?? 0) + UInt64(record.url.utf8.count),
            parent: record.parent, depth: record.depth,
            answerTime: .milliseconds(Int(clamping: record.timeout)),
            expiry: .now + .milliseconds(Int(clamping: isQueued ? left : RequestTimeout.ofReturn)),
            accepted: record.accepted)
        pending.changeCount = record.changeCount
        pending.note(.recovered)
        if !isQueued { pending.desktop = (try? KeptContext(of: record)).flatMap { DesktopHandler($0) } }
        try deliveries.enqueue(pending)
    }

    var exported: ExportedInterface {
        ExportedInterface(
            URLs1.description,
            methods: [
                URLs1.openURL.answered(later: { try await self.openURL($0, $1, $2) }),
                URLs1.getRequest.answered { try await self.getRequest($0.0, $1) },
                URLs1.waitRequest.answered(later: { try await self.waitRequest($0, $1, $2) }),
                URLs1.cancelRequest.answered(later: { try await self.cancelRequest($0.0, $1, $2) }),
                URLs1.retryRequest.answered { try await self.retryRequest($0.0, $0.1, $1) },
                URLs1.dropRequest.answered { try await self.dropRequest($0.0, $1) },
                URLs1.listRequests.answered { try await self.listRequests($0, $1) },
                URLs1.traceRequest.answered { try await self.traceRequest($0.0, $1) },
            ])
    }
}

extension Error {
    /// Whether the error means that a new request would not be accepted now, whatever was accepted before.
    fileprivate var isAboutAcceptance: Bool {
        switch (self as? any Condition)?.ipcError.code {
        case .noHandler, .handlerUnavailable, .accessDenied, .loopDetected, .limitExceeded: true
        default: false
        }
    }
}
