internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.URLs1`: accepts open requests, has them delivered, and answers with what became of them.
@DBusActor
final class URLsService {
    private let store: Store
    private let schemes: SchemesService
    private let clients: BusClients
    private let connection: Connection
    private let promises: PromiseFetcher
    private let expiry: ExpiryClock
    private let activation: Activation
    private let limits: Limits
    private var deliveries: [ApplicationID: HandlerDelivery] = [:]
    private var byCaller: [BusName: [RequestID: HandlerDelivery]] = [:]
    private var underWay: [RequestID: RequestUnderWay] = [:]
    private let arrivals: ArrivalOrder
    private let descriptors: DescriptorBudget
    private(set) var pending = 0
    private var isEnding = false
    private var isAbandoning = false
    private var idle: [CheckedContinuation<Void, Never>] = []

    init(
        store: Store, schemes: SchemesService, clients: BusClients, connection: Connection,
        arrivals: ArrivalOrder, promises: PromiseFetcher, expiry: ExpiryClock, descriptors: DescriptorBudget,
        limits: Limits
    ) {
        (self.arrivals, self.promises, self.expiry, self.descriptors) = (arrivals, promises, expiry, descriptors)
        self.store = store
        self.schemes = schemes
        self.clients = clients
        self.connection = connection
        self.limits = limits
        activation = Activation(
            connection: connection, clients: clients, timeout: .milliseconds(Int(limits.activationMilliseconds)))
        schemes.windowChanged = { [weak self] application, window in
            self?.deliveries[application]?.setWindow(window)
        }
    }

    // MARK: OpenURL

    func openURL(_ input: (String, OpenURLOptions), _ call: IncomingCall) async throws -> OpenURLResult {
        guard let items = input.1.items, items.hasFiles else { return try await open(input.0, input.1, for: call) }
        let held = try descriptors.charge(items.fileCount, to: call.sender)
        defer { held.release() }
        let turn = await arrivals.turn(of: call.sender)
        defer { turn.end() }
        var options = input.1
        options.items = try await inline(items)
        return try await open(input.0, options, for: call, in: turn)
    }

    /// - Parameter turn: the caller's turn, where the call has it already; it ends when the receiver is fixed.
    private func open(
        _ url: String, _ options: OpenURLOptions, for call: IncomingCall, in turn: CallerTurn? = nil
    ) async throws -> OpenURLResult {
        let request = try ValidatedRequest(url: url, options: options, limits: limits)
        guard let id = request.id else { return try await open(request, id: .random(), for: call, in: turn) }
        return try await openOnce(request, id: id, for: call, in: turn)
    }

    /// The items with what came as descriptors read into the message: a handler is only given what fits one.
    private func inline(_ items: [PasteboardItem]) async throws -> [PasteboardItem] {
        let all = items.reduce(UInt64(0)) { $0 + UInt64($1.byteCount) }
        guard all <= limits.inlineMessageBytes else { throw OutgoingValues.payloadTooLarge(all, limits) }
        return try OutgoingValues.handed(
            try await store.intake.take(items, persistent: false, sensitive: true), limits)
    }

    /// A repeated call has one effect and the same result (I10): it joins the one that is under way; for one that has
    /// ended there is a record.
    private func openOnce(
        _ request: ValidatedRequest, id: RequestID, for call: IncomingCall, in turn: CallerTurn?
    ) async throws -> OpenURLResult {
        if let underWay = underWay[id] {
            guard underWay.digest == request.digest else { throw RequestError.identifierReused(id) }
            self.underWay[id]?.callers.append(call.sender)
            return try await underWay.result.value
        }
        let result = DBusActor.task {
            // What has ended is told from its record, also when its handler is gone by now.
            let known = try await self.store.commit { try $0.request(id) }
            guard let known, known.arguments == request.digest, let outcome = known.outcome else {
                return try await self.open(request, id: id, for: call, in: turn)
            }
            return OpenURLResult(known, outcome: outcome)
        }
        underWay[id] = RequestUnderWay(digest: request.digest, result: result, callers: [call.sender])
        defer { underWay[id] = nil }
        return try await result.value
    }

    private func open(
        _ request: ValidatedRequest, id: RequestID, for call: IncomingCall, in turn: CallerTurn?
    ) async throws -> OpenURLResult {
        try limits.check(\.pendingRequests, use: UInt64(pending), request: 1)
        pending += 1
        defer { ended() }
        let (target, source) = try await route(request, for: call.sender, in: turn)
        let accepted = try await accept(request, id: id, target: target, source: source)
        if request.set.endsByItself { expiry.look() }
        switch accepted.value {
        case .ended(let record, let outcome): return OpenURLResult(record, outcome: outcome)
        case .bound(let payload):
            if payload.isNewPasteboard, let name = payload.pasteboard {
                try call.emitAfterReply(Pasteboards1.pasteboardAdded, from: Broker1.path, name.text)
            }
            let pending = PendingRequest(
                id: id, url: request.url, source: source, caller: call.sender, payload: payload,
                annotation: request.annotation, deadline: .now + request.timeout)
            let end = clients.hasDeparted(call.sender) ? Self.senderLeft : await deliver(pending, to: target)
            guard let end else { throw Self.brokerEnded }
            return try await record(end, of: request, id: id, target: target, payload, group: accepted.group)
        }
    }

    /// Fixes the receiver and the source. What needs no question to the bus passes at once; what does keeps its place
    /// among the requests of its caller.
    private func route(
        _ request: ValidatedRequest, for caller: BusName?, in turn: CallerTurn?
    ) async throws -> (ApplicationID, Source) {
        if turn == nil, !arrivals.isOccupied(caller),
            let source = clients.knownSource(stated: request.source, by: caller),
            let resolution = schemes.knownResolution(request.url, pinned: request.application),
            let visibility = request.pasteboard == nil ? .whole : clients.knownVisibility(of: caller)
        {
            if let name = request.pasteboard { try visibility.check(name) }
            return (try Self.target(resolution), source)
        }
        let turn = if let turn { turn } else { await arrivals.turn(of: caller) }
        defer { turn.end() }
        if let name = request.pasteboard { try await clients.visibility(of: caller).check(name) }
        let source = await clients.source(stated: request.source, by: caller)
        return (try Self.target(await schemes.resolve(request.url, pinned: request.application)), source)
    }

    private static func target(_ resolution: Resolution) throws(RoutingError) -> ApplicationID {
        try resolution.acceptance()
        guard let application = resolution.application else { throw .noHandler(resolution.scheme) }
        return application
    }

    /// Binds the payload and notes the request, in the order of arrival: written, not yet waited for, because the answer
    /// is the acknowledgement (I1).
    private func accept(
        _ request: ValidatedRequest, id: RequestID, target: ApplicationID, source: Source
    ) async throws -> Staged<Acceptance> {
        guard !isEnding else { throw StoreError.unavailable }
        for _ in 0..<100 {
            do {
                return try await stage(request, id: id, target: target, source: source)
            } catch let wanted as UnfulfilledPromises {
                try await promises.fetch(wanted)
            } catch is IntakeOutdated {
                // Its large values must be moved between memory and disk before it can be.
                guard let name = request.pasteboard, let persistent = request.persistent else {
                    throw StoreError.unavailable
                }
                try await store.setPersistent(persistent, of: name)
            }
        }
        throw IPCError(.changeCountMismatch, "the pasteboard changes faster than it can be made ready; try again")
    }

    private func stage(
        _ request: ValidatedRequest, id: RequestID, target: ApplicationID, source: Source
    ) async throws -> Staged<Acceptance> {
        let limits = limits
        return try await store.stage { transaction in
            var known: RequestRecord?
            if let digest = request.digest, let record = try transaction.request(id) {
                guard record.arguments == digest else { throw RequestError.identifierReused(id) }
                if let outcome = record.outcome { return .ended(record, outcome) }
                known = record
            }
            let payload = try transaction.bind(request, boundBefore: known?.changeCount, source: source, limits)
            if let digest = request.digest, known == nil {
                _ = try transaction.beginRequest(
                    RequestRecord(
                        id: id, arguments: digest, source: source, application: target.text,
                        pasteboard: request.pasteboard, changeCount: payload.changeCount ?? 0,
                        accepted: transaction.now))
            }
            return .bound(payload)
        }
    }

    /// What the bus would say if the broker were killed. A request with an id stays without an end, so that its sender
    /// can repeat it with the next broker (I24).
    private static let brokerEnded = ErrorReply(
        .noReply, "the broker ended before the request did; repeat it with the same id")

    private func deliver(_ request: PendingRequest, to target: ApplicationID) async -> RequestEnd? {
        guard !isAbandoning else { return nil }
        let delivery: HandlerDelivery
        do { delivery = try self.delivery(to: target) } catch {
            return RequestEnd(.failed, because: "\(error)")
        }
        if let caller = request.caller { byCaller[caller, default: [:]][request.id] = delivery }
        defer {
            if let caller = request.caller {
                byCaller[caller]?[request.id] = nil
                if byCaller[caller]?.isEmpty == true { byCaller[caller] = nil }
            }
            if delivery.isIdle, deliveries[target] === delivery { deliveries[target] = nil }
        }
        return await delivery.end(of: request)
    }

    private func delivery(to target: ApplicationID) throws -> HandlerDelivery {
        if let delivery = deliveries[target] { return delivery }
        let delivery = try HandlerDelivery(
            target, window: schemes.window(of: target), connection: connection, activation: activation,
            limits: limits)
        deliveries[target] = delivery
        return delivery
    }

    /// Payload, request and outcome become durable together, before the sender is answered (I1).
    private func record(
        _ end: RequestEnd, of request: ValidatedRequest, id: RequestID, target: ApplicationID, _ payload: BoundPayload,
        group: CommitGroup
    ) async throws -> OpenURLResult {
        do {
            try await store.commit { transaction in
                try transaction.require(group)
                if request.id != nil { _ = try transaction.finishRequest(id, end) }
            }
            return OpenURLResult(end, id: id, target: target.text, changeCount: payload.changeCount)
        } catch {
            // The handler has seen it, so this is an end and no error; but it is not on the disk.
            var lost = RequestEnd(
                .failed, code: "not-recorded",
                because: "the handler answered “\(end.outcome.rawValue)”, but the store could not keep it: \(error)")
            lost.attempts = end.attempts
            return OpenURLResult(lost, id: id, target: target.text, changeCount: nil)
        }
    }

    // MARK: Ends

    /// A sender that left is not waited for: what was not delivered is cancelled.
    func callerLeft(_ caller: BusName) {
        for (id, delivery) in byCaller[caller] ?? [:] {
            // Somebody else may wait for the same request.
            if underWay[id]?.callers.contains(where: { $0 != caller && !clients.hasDeparted($0) }) ?? false { continue }
            delivery.cancel(id, because: Self.senderLeft.failure.message)
        }
    }

    private static let senderLeft = RequestEnd(
        .cancelled, because: "the sender left before the request was delivered")

    /// Accepts no more, lets handlers finish what they have in hand for a while, then lets the rest go.
    func finish(within patience: Duration) async {
        isEnding = true
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [weak self] in
            self?.isAbandoning = true
            for delivery in self?.deliveries.values.map(\.self) ?? [] { delivery.abandonAll() }
        }
        await withCheckedContinuation { continuation in
            if pending == 0 { continuation.resume() } else { idle.append(continuation) }
        }
    }

    private func ended() {
        pending -= 1
        guard pending == 0 else { return }
        let waiting = idle
        idle = []
        for continuation in waiting { continuation.resume() }
    }

    var exported: ExportedInterface {
        ExportedInterface(
            URLs1.description, methods: [URLs1.openURL.answered { try await self.openURL($0, $1) }])
    }
}

/// A request whose sender gave it an id, while it is under way.
private struct RequestUnderWay {
    let digest: ContentDigest?
    let result: Task<OpenURLResult, any Error>
    /// Who waits for it: the first one, and those who repeated the call meanwhile.
    var callers: [BusName?]
}

/// What came of accepting a request.
private enum Acceptance: Sendable {
    case bound(BoundPayload)
    /// It is the repetition of a call that has ended.
    case ended(RequestRecord, Outcome)
}

extension StoreTransaction {
    /// The payload of a request, as the contract's rule "Payload" says.
    /// - Parameter boundBefore: the change count that the same request was bound to before a crash.
    fileprivate borrowing func bind(
        _ request: ValidatedRequest, boundBefore: UInt64?, source: Source, _ limits: Limits
    ) throws -> BoundPayload {
        guard let name = request.pasteboard else { return BoundPayload(items: request.items) }
        guard let items = request.items else {
            let content = try items(of: name, ReadOptions(changeCount: boundBefore ?? request.changeCount))
            return BoundPayload(
                items: try OutgoingValues.handed(content.items, limits), pasteboard: name,
                changeCount: content.facts.changeCount)
        }
        if let boundBefore { return BoundPayload(items: items, pasteboard: name, changeCount: boundBefore) }
        var isNew = false
        if request.create {
            let made = try createPasteboard(
                name, persistent: request.persistent ?? (name != .general), source: source)
            isNew = made.isNew
            if !made.isNew, let persistent = request.persistent { try setPersistent(persistent, of: name) }
        } else if let persistent = request.persistent {
            try setPersistent(persistent, of: name)
        }
        let count = try setItems(items, on: name, request.set.with(source))
        return BoundPayload(items: items, pasteboard: name, changeCount: count, isNewPasteboard: isNew)
    }
}
