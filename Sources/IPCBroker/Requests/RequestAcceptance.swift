internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// What came of accepting a request.
enum Acceptance: Sendable {
    case bound(BoundPayload)
    /// It is the repetition of a call that has ended.
    case ended(RequestRecord, Outcome)
}

/// Accepts requests: gives them their place, binds their payload, and notes what has to be noted.
@DBusActor
final class RequestAcceptance {
    let store: Store
    let deliveries: Deliveries
    let table: RequestTable
    let promises: PromiseFetcher
    private let expiry: ExpiryClock
    let limits: Limits

    init(
        store: Store, deliveries: Deliveries, table: RequestTable, promises: PromiseFetcher, expiry: ExpiryClock,
        limits: Limits
    ) {
        (self.store, self.deliveries, self.table) = (store, deliveries, table)
        (self.promises, self.expiry, self.limits) = (promises, expiry, limits)
    }

    /// The payload with its files taken over: to the disk for a queued request, else where its pasteboard is kept.
    func takenIn(_ request: ValidatedRequest) async throws -> [PasteboardItem]? {
        guard let items = request.items, items.hasFiles else { return request.items }
        let isSensitive = request.set.isSensitive
        return try await store.withIntake(
            of: items, on: request.pasteboard, persistent: request.create ? request.keepsPasteboard : nil,
            isSensitive: isSensitive, toDisk: request.isQueued
        ) { $0 }
    }

    /// Gives a request its place in its sender queue, in the order of arrival.
    /// - Parameter earlier: the same request as an earlier broker left it.
    func begin(
        _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ digest: ContentDigest?, _ target: ApplicationID,
        _ source: Source, by caller: BusName?, after earlier: PendingRequest?, desktop: DesktopHandler? = nil
    ) throws -> PendingRequest {
        let facts = deliveries.surroundings.facts(target)
        try items.map { try OutgoingValues.checkHanded($0, limits, takesDescriptors: facts.takesDescriptors) }
        let size = size(of: items, request, takesDescriptors: facts.takesDescriptors)
        let memory = Self.memory(of: items, request, size)
        let payer = deliveries.surroundings.clients.payer(source, caller)
        try table.checkRoom(
            for: target, payer: payer, size: size, memory: memory, isQueued: request.isQueued)
        let (target, source) = (table.shared(target), table.shared(source, payer: payer))
        let life: Duration = request.isQueued ? .milliseconds(Int(clamping: request.timeToLive)) : request.timeout
        let pending = PendingRequest(
            id: request.id ?? .random(), application: target, source: source, payer: payer, caller: caller,
            senderQueue: SenderQueueKey(source, caller?.text ?? ""), life: RequestLife(isQueued: request.isQueued),
            hasRecord: request.isQueued || request.id != nil, digest: digest, size: size, parent: request.parent,
            depth: table.depth(below: request.parent), answerTime: request.timeout, expiry: .now + life,
            accepted: SystemClock.milliseconds(), memory: memory)
        pending.desktop = desktop
        if let earlier {
            table.remove(earlier)
            for waiter in earlier.takeWaiters() { pending.add(waiter) }
        }
        if earlier != nil || request.isRepeated { pending.life.continues(after: 1) }
        pending.note(
            request.isQueued ? .queued : .accepted,
            who: source.application.isEmpty ? caller?.text ?? "" : source.application,
            size: items?.byteCount ?? 0)
        try deliveries.enqueue(pending)
        return pending
    }

    /// What a request is charged with: what the disk keeps of a queued one, what memory and bus hold of any other.
    private func size(of items: [PasteboardItem]?, _ request: ValidatedRequest, takesDescriptors: Bool) -> UInt64 {
        let url = UInt64(request.url.text.utf8.count)
        guard let items else { return url }
        guard takesDescriptors, !request.isQueued else { return url + items.byteCount }
        return url + OutgoingValues.inlineBytes(of: items, limits)
    }

    /// What a request whose sender waits takes in memory: its parts, and what the broker needs for it and for each of them.
    /// - Parameter size: of its URL and payload.
    private static func memory(of items: [PasteboardItem]?, _ request: ValidatedRequest, _ size: UInt64) -> UInt64 {
        let parts = items?.reduce(0) { $0 + $1.representations.count + 1 } ?? 0
        let kept = (request.annotation?.marshalledEnd(from: 0) ?? 0) + (request.activationToken?.utf8.count ?? 0)
        return size + requestCost + UInt64(parts) * partCost + 4 * UInt64(kept)
    }

    private static let requestCost: UInt64 = 2_304
    private static let partCost: UInt64 = 192

    /// Binds the payload and notes the request. A queued one is on the disk when this returns; one whose sender waits is
    /// written and not yet waited for, because the answer is the acknowledgement (I1). Takes back what is refused.
    /// - Parameter earlier: the same request as an earlier broker left it.
    func accept(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ source: Source,
        restoring earlier: PendingRequest?
    ) async throws -> Acceptance {
        do {
            guard pending.hasRecord || request.pasteboard != nil else { return try unkept(pending, request, items) }
            return bound(try await staged(pending, request, items, source), to: pending, request)
        } catch {
            refuse(pending, error, restoring: earlier)
            throw error
        }
    }

    /// Nothing of it is kept, so that the disk need not be asked.
    private func unkept(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?
    ) throws -> Acceptance {
        let takesDescriptors = deliveries.surroundings.facts(pending.application).takesDescriptors
        let payload = BoundPayload(
            items: try items.map { try OutgoingValues.handed($0, limits, takesDescriptors: takesDescriptors) })
        bind(payload, to: pending, request)
        return .bound(payload)
    }

    private func bound(
        _ accepted: Acceptance, to pending: PendingRequest, _ request: ValidatedRequest
    ) -> Acceptance {
        if request.set.endsByItself { expiry.look() }
        if case .bound(let payload) = accepted { bind(payload, to: pending, request) }
        return accepted
    }

    private func bind(_ payload: BoundPayload, to pending: PendingRequest, _ request: ValidatedRequest) {
        pending.changeCount = payload.changeCount
        if let attempts = payload.earlierAttempts {
            // The broker knew it and lost its end: it may have been delivered.
            pending.life.continues(after: attempts)
        }
        if request.items == nil, let items = payload.items {
            let takesDescriptors = deliveries.surroundings.facts(pending.application).takesDescriptors
            let size = size(of: items, request, takesDescriptors: takesDescriptors)
            table.recharge(pending, size: size, memory: Self.memory(of: items, request, size))
        }
        pending.keepsPayload = !payload.isSecret
        guard !pending.isQueued else { return }
        pending.content = RequestContent(
            url: request.url.text, items: payload.items, pasteboard: payload.pasteboard,
            changeCount: payload.changeCount, kept: request.kept)
    }

    private func staged(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ source: Source
    ) async throws -> Acceptance {
        var (items, copy) = (items, nil as DiskCopy?)
        for _ in 0..<100 {
            do {
                return try await stage(pending, request, items, source, copy)
            } catch let wanted as UnfulfilledPromises {
                try await promises.fetch(wanted)
            } catch let outdated as IntakeOutdated {
                guard let name = request.pasteboard else { throw StoreError.unavailable }
                if request.isQueued, copy == nil {
                    // What is to be queued is in memory, and goes to the disk first.
                    copy = try await diskCopy(of: items, name, request)
                } else if let taken = items, taken.hasFiles {
                    items = try await store.intake.take(
                        taken, persistent: outdated.toDisk ?? false, sensitive: request.set.isSensitive)
                } else if let persistent = request.persistent {
                    // Its large values must be moved between memory and disk before it can be.
                    try await store.setPersistent(persistent, of: name)
                } else {
                    throw StoreError.unavailable
                }
            }
        }
        throw IPCError(.changeCountMismatch, "the pasteboard changes faster than it can be made ready; try again")
    }

    /// A payload taken over to the disk: of the items that are set, or of the version that is bound.
    private func diskCopy(
        of items: [PasteboardItem]?, _ name: PasteboardName, _ request: ValidatedRequest
    ) async throws -> DiskCopy {
        if let items {
            return DiskCopy(
                items: try await store.intake.take(items, persistent: true, sensitive: false), changeCount: 0)
        }
        let count = request.changeCount
        let content = try await store.commit { try $0.items(of: name, ReadOptions(changeCount: count)) }
        guard !content.facts.isSensitive else { throw ValidatedRequest.sensitiveQueued }
        return DiskCopy(
            items: try await store.intake.take(content.items, persistent: true, sensitive: false),
            changeCount: content.facts.changeCount)
    }

    private func stage(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ source: Source,
        _ copy: DiskCopy?
    ) async throws -> Acceptance {
        let body = try operation(pending, request, items, source, copy)
        guard !request.isQueued else {
            let accepted = try await store.commit(body)
            _ = pending.takeTrace()
            return accepted
        }
        let staged = try await store.stage(body)
        pending.group = staged.group
        return staged.value
    }

    /// What acceptance does in the store, in one step.
    private func operation(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ source: Source,
        _ copy: DiskCopy?
    ) throws -> @Sendable (borrowing StoreTransaction) throws -> Acceptance {
        let (limits, trace) = (limits, pending.trace)
        let takesDescriptors = deliveries.surroundings.facts(pending.application).takesDescriptors
        let writer = writer(of: pending)
        let (target, id, digest, depth) = (pending.application, pending.id, pending.digest, pending.depth)
        let arguments = try pending.hasRecord ? digest ?? request.digest(items) : nil
        let room = table.room(for: pending)
        let kept = request.kept.naming(pending.desktop)
        let context = try kept.isEmpty ? nil : kept.marshalled()
        return { transaction in
            var known: RequestRecord?
            if let digest, let record = try transaction.requests.record(id) {
                guard record.arguments == digest else { throw RequestError.identifierReused(id) }
                if let outcome = record.outcome { return .ended(record, outcome) }
                known = record
            }
            var payload = try transaction.bind(
                request, items, copy, boundBefore: known?.changeCount, source: source, limits,
                takesDescriptors: takesDescriptors)
            if request.items == nil, let bound = payload.items, bound.byteCount > room {
                try limits.check(
                    \.waitingBytes, use: limits.waitingBytes - min(room, limits.waitingBytes), request: bound.byteCount)
            }
            payload.earlierAttempts = known?.attempts
            guard let arguments, known == nil else { return .bound(payload) }
            let record = RequestRecord(
                id: id, arguments: arguments, state: request.isQueued ? .queued : .waiting, source: source,
                caller: writer, application: target.text, url: request.url.text, pasteboard: request.pasteboard,
                changeCount: payload.changeCount ?? 0, timeout: UInt64(request.timeout.milliseconds),
                parent: request.parent, depth: depth, accepted: transaction.now,
                expiresAt: request.isQueued ? transaction.now + request.timeToLive : nil, context: context)
            _ = try transaction.requests.begin(
                record, payload: request.isQueued ? payload.queued(copy) : .none, trace: request.isQueued ? trace : [])
            return .bound(payload)
        }
    }

    /// Takes back a request that was not accepted, and tells those who joined it.
    /// - Parameter earlier: what stands there again, with those who wait for its end.
    func refuse(_ pending: PendingRequest, _ error: any Error, restoring earlier: PendingRequest?) {
        if let earlier {
            for waiter in pending.takeWaiters() { (waiter.isSender ? pending : earlier).add(waiter) }
        }
        withdraw(pending, .failure(error))
        if let earlier { table.insert(earlier) }
    }

    /// Takes back a request whose end, or refusal, is known already.
    func withdraw(_ pending: PendingRequest, _ result: Result<RequestEnd, any Error>) {
        for waiter in pending.takeAcceptanceWaiters() { pending.add(waiter) }
        deliveries.withdraw(pending)
        deliveries.surroundings.records.answer(pending, result)
    }
}

extension ValidatedRequest {
    /// Whether a pasteboard that the request makes is persistent.
    var keepsPasteboard: Bool { persistent ?? (pasteboard != .general) }
}

extension SenderQueueKey {
    /// The source as it was stated, else the connection: order holds within it.
    init(_ source: Source, _ connection: String) {
        let application = source.application.isEmpty ? nil : try? ApplicationID(source.application)
        self = application.map { .application($0) } ?? .connection(connection)
    }
}

extension KeptContext {
    /// What was kept with a record.
    init(of record: RequestRecord) throws {
        do { self = try record.context.map { try KeptContext(marshalled: $0) } ?? KeptContext() } catch {
            throw RequestError.damagedPayload(record.id)
        }
    }

    var isEmpty: Bool { annotation == nil && activationToken == nil && desktopEntry == nil }
}
