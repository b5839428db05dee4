internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// The source and the handler of a request, and its payload, whose files the store has already taken in.
struct Destination {
    let source: Source
    let application: ApplicationID
    let desktop: DesktopHandler?
    let items: [PasteboardItem]?
}

enum Acceptance: Sendable {
    case bound(BoundPayload)
    /// The call repeats an earlier one, whose request has ended.
    case ended(RequestRecord, Outcome)
}

/// Accepts requests: enqueues them, binds their payloads and writes their records.
@DBusActor
final class RequestAcceptance {
    let store: Store
    let deliveries: Deliveries
    let table: RequestTable
    private let promises: PromiseFetcher
    private let expiry: ExpiryClock
    let limits: Limits

    init(
        store: Store, deliveries: Deliveries, table: RequestTable, promises: PromiseFetcher, expiry: ExpiryClock,
        limits: Limits
    ) {
        (self.store, self.deliveries, self.table) = (store, deliveries, table)
        (self.promises, self.expiry, self.limits) = (promises, expiry, limits)
    }

    /// Takes in the payload's files, and returns the payload. The files go where the pasteboard is kept, to disk or
    /// memory. Without a pasteboard, they go to disk if the request is queued, and otherwise to memory.
    func takenIn(_ request: ValidatedRequest) async throws -> [PasteboardItem]? {
        guard let items = request.items, items.hasFiles else { return request.items }
        return try await store.withIntake(
            of: items, on: request.pasteboard, persistent: request.create ? request.keepsPasteboard : nil,
            isSensitive: request.set.isSensitive, toDisk: request.isQueued
        ) { $0 }
    }

    /// Adds a request to its sender queue, in order of arrival.
    /// - Parameter earlier: the request with the same id, if an earlier broker left it.
    func begin(
        _ request: ValidatedRequest, for destination: Destination, _ digest: ContentDigest?, by caller: BusName?,
        after earlier: PendingRequest?
    ) throws -> PendingRequest {
        let items = destination.items
        let outgoing = outgoing(to: destination.application)
        try items.map { try outgoing.checkHanded($0) }
        let size = Self.size(of: items, request, outgoing)
        let memory = Self.memory(of: items, request, size)
        let payer = deliveries.context.clients.payer(destination.source, caller)
        try table.checkRoom(
            for: destination.application, payer: payer, size: size, memory: memory, isQueued: request.isQueued)
        let target = table.shared(destination.application)
        let source = table.shared(destination.source, payer: payer)
        let life: Duration = request.isQueued ? .milliseconds(Int(clamping: request.timeToLive)) : request.timeout
        let pending = PendingRequest(
            id: request.id ?? .random(), application: target, source: source, payer: payer, caller: caller,
            senderQueue: SenderQueueKey(source, caller?.text ?? ""), life: RequestLife(isQueued: request.isQueued),
            hasRecord: request.isQueued || request.id != nil, digest: digest, size: size, parent: request.parent,
            depth: table.depth(below: request.parent), answerTime: request.timeout, expiry: .now + life, memory: memory)
        pending.desktop = destination.desktop
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

    private func outgoing(to application: ApplicationID) -> OutgoingValues {
        OutgoingValues(limits, takesDescriptors: deliveries.context.facts(application).takesDescriptors)
    }

    /// The size of the URL and the payload, in bytes. Unless the request is queued, only inline values count.
    private static func size(
        of items: [PasteboardItem]?, _ request: ValidatedRequest, _ outgoing: OutgoingValues
    ) -> UInt64 {
        let url = UInt64(request.url.text.utf8.count)
        guard let items else { return url }
        return url + (request.isQueued ? items.byteCount : outgoing.inlineBytes(of: items))
    }

    /// The memory of a request whose sender is waiting, including an overhead for the request, its items and values.
    /// - Parameter size: the size of the URL and the payload, in bytes.
    private static func memory(of items: [PasteboardItem]?, _ request: ValidatedRequest, _ size: UInt64) -> UInt64 {
        let parts = items?.reduce(0) { $0 + $1.representations.count + 1 } ?? 0
        let kept = (request.annotation?.marshalledEnd(from: 0) ?? 0) + (request.activationToken?.utf8.count ?? 0)
        return size + requestCost + UInt64(parts) * partCost + 4 * UInt64(kept)
    }

    private static let requestCost: UInt64 = 2_304
    private static let partCost: UInt64 = 192

    /// Binds the payload to the request, and writes the request if it has a record or a pasteboard. A queued request is
    /// on disk when `then` runs. If the sender waits for the outcome, the write is not flushed, because nothing is
    /// acknowledged before the outcome (I1). A refused request is withdrawn.
    /// - Parameter earlier: the request with the same id, if an earlier broker left it.
    func accept(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?,
        restoring earlier: PendingRequest?, then: @escaping DelayedAnswer<Acceptance>
    ) {
        let finish: DelayedAnswer<Acceptance> = { result in
            switch result {
            case .success(.bound(let payload)): self.bind(payload, to: pending, request)
            case .success(.ended): break
            case .failure(let error): self.refuse(pending, error, restoring: earlier)
            }
            then(result)
        }
        if pending.hasRecord || request.pasteboard != nil {
            write(pending, request, items, then: finish)
        } else {
            // The store keeps nothing about a request that has neither a record nor a pasteboard.
            let outgoing = outgoing(to: pending.application)
            finish(
                Result {
                    .bound(
                        BoundPayload(
                            items: try items.map { try outgoing.handed($0) }, isSecret: request.set.isSensitive))
                })
        }
    }

    private func bind(_ payload: BoundPayload, to pending: PendingRequest, _ request: ValidatedRequest) {
        pending.changeCount = payload.changeCount
        if let attempts = payload.earlierAttempts {
            // An earlier broker had the request and may have delivered it, although no outcome is recorded.
            pending.life.continues(after: attempts)
        }
        if request.items == nil, let items = payload.items {
            let size = Self.size(of: items, request, outgoing(to: pending.application))
            table.recharge(pending, size: size, memory: Self.memory(of: items, request, size))
        }
        pending.keepsPayload = !payload.isSecret
        guard !pending.isQueued else { return }
        pending.content = RequestContent(
            url: request.url.text, items: payload.items, pasteboard: payload.pasteboard,
            changeCount: payload.changeCount, kept: request.kept)
    }

    /// Runs the operation that accepts a request. If an obstacle can be removed, removes it and repeats the operation.
    private func write(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ copy: DiskCopy? = nil,
        attempts: Int = 100, then: @escaping DelayedAnswer<Acceptance>
    ) {
        let operation: Store.Operation<Acceptance>
        do { operation = try self.operation(pending, request, items, copy) } catch { return then(.failure(error)) }
        let ran: DelayedAnswer<Acceptance> = { result in
            if case .success = result, request.set.endsByItself { self.expiry.look() }
            guard case .failure(let obstacle) = result,
                obstacle is UnfulfilledPromises || obstacle is IntakeOutdated
            else { return then(result) }
            DBusActor.begin {
                do {
                    let (items, copy) = try await self.remove(obstacle, request, items, copy)
                    guard attempts > 1 else {
                        throw IPCError(
                            .changeCountMismatch, "the pasteboard changes too fast to prepare the request; try again")
                    }
                    self.write(pending, request, items, copy, attempts: attempts - 1, then: then)
                } catch { then(.failure(error)) }
            }
        }
        let committed: DelayedAnswer<Acceptance> = { result in
            if case .success = result { _ = pending.takeTrace() }
            ran(result)
        }
        let staged: DelayedAnswer<Staged<Acceptance>> = { result in
            if case .success(let staged) = result { pending.group = staged.group }
            ran(result.map(\.value))
        }
        guard request.isLargeWrite || copy?.items.areSmall == false else {
            return request.isQueued ? store.commit(operation, then: committed) : store.stage(operation, then: staged)
        }
        let written = copy?.items ?? items ?? []
        DBusActor.begin { [store] in
            if request.isQueued {
                do { committed(.success(try await store.commit(writing: written, operation))) } catch {
                    committed(.failure(error))
                }
            } else {
                do { staged(.success(try await store.stage(writing: written, operation))) } catch {
                    staged(.failure(error))
                }
            }
        }
    }

    /// Removes an obstacle to acceptance: fetches promised values, or moves content between memory and disk.
    /// - Returns: the payload and its copy on disk, for the next attempt.
    private func remove(
        _ obstacle: any Error, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ copy: DiskCopy?
    ) async throws -> ([PasteboardItem]?, DiskCopy?) {
        if let wanted = obstacle as? UnfulfilledPromises {
            try await promises.fetch(wanted)
            return (items, copy)
        }
        guard let outdated = obstacle as? IntakeOutdated, let name = request.pasteboard else {
            throw StoreError.unavailable
        }
        if request.isQueued, copy == nil {
            // The payload of a queued request is in memory, and must be copied to disk first.
            return (items, try await diskCopy(of: items, name, request))
        }
        if let taken = items, taken.hasFiles {
            let toDisk = outdated.toDisk ?? false
            return (
                try await store.intake.take(taken, persistent: toDisk, sensitive: request.set.isSensitive), copy
            )
        }
        // The pasteboard's large values must be moved between memory and disk first.
        guard let persistent = request.persistent else { throw StoreError.unavailable }
        try await store.setPersistent(persistent, of: name)
        return (items, copy)
    }

    /// Copies a payload to disk: the given items or, if there are none, those of the pasteboard version to send.
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

    private func operation(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ copy: DiskCopy?
    ) throws -> Store.Operation<Acceptance> {
        let (outgoing, trace) = (outgoing(to: pending.application), pending.trace)
        let (writer, source) = (writer(of: pending), pending.source)
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
                request, items, copy, boundBefore: known?.changeCount, source: source, outgoing)
            if request.items == nil, let bound = payload.items { try room.check(bound.byteCount) }
            payload.earlierAttempts = known?.attempts
            guard let arguments, known == nil else { return .bound(payload) }
            let record = RequestRecord(
                id: id, arguments: arguments, state: request.isQueued ? .queued : .waiting, source: source,
                caller: writer, application: target, url: request.url.text, pasteboard: request.pasteboard,
                changeCount: payload.changeCount, timeout: UInt64(request.timeout.milliseconds),
                parent: request.parent, depth: depth, accepted: transaction.now,
                expiresAt: request.isQueued ? transaction.now + request.timeToLive : nil, context: context)
            _ = try transaction.requests.begin(
                record, payload: request.isQueued ? payload.queued(copy) : .none, trace: request.isQueued ? trace : [])
            return .bound(payload)
        }
    }

    /// Withdraws a request that was not accepted, and answers its waiting calls.
    /// - Parameter earlier: the request to restore in its place. Calls that only observe then wait for `earlier`.
    func refuse(_ pending: PendingRequest, _ error: any Error, restoring earlier: PendingRequest?) {
        if let earlier {
            for waiter in pending.takeWaiters() { (waiter.role == .observer ? earlier : pending).add(waiter) }
        }
        withdraw(pending, .failure(error))
        if let earlier { table.insert(earlier) }
    }

    /// Withdraws a request whose outcome or error is already known.
    func withdraw(_ pending: PendingRequest, _ result: Result<RequestEnd, any Error>) {
        for waiter in pending.takeAcceptanceWaiters() { pending.add(waiter) }
        deliveries.withdraw(pending)
        deliveries.context.records.answer(pending, result)
    }

    /// The connection that sent a request; `nil` if it is not on this bus.
    func connection(of record: RequestRecord) -> BusName? { promises.owner(record.caller) }

    /// The string that identifies the sender of a request in the store: its connection on this bus, and its process.
    func writer(of request: PendingRequest) -> String {
        promises.writer(request.caller, deliveries.context.clients.process(of: request.caller))
    }
}

extension ValidatedRequest {
    /// Whether a pasteboard that the request creates is persistent.
    var keepsPasteboard: Bool { persistent ?? pasteboard?.isPersistentByDefault ?? true }
}

extension SenderQueueKey {
    /// Identifies a sender queue by the source's application, even if unproven, or else by the connection.
    init(_ source: Source, _ connection: String) {
        let application = source.application.isEmpty ? nil : try? ApplicationID(source.application)
        self = application.map { .application($0) } ?? .connection(connection)
    }
}

extension KeptContext {
    init(of record: RequestRecord) throws {
        do { self = try record.context.map { try KeptContext(marshalled: $0) } ?? KeptContext() } catch {
            throw RequestError.damagedPayload(record.id)
        }
    }

    var isEmpty: Bool { annotation == nil && activationToken == nil && desktopEntry == nil }
}
