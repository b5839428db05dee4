internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.URLs1`: accepts open requests, has them delivered, and tells what became of them.
@DBusActor
final class URLsService {
    let store: Store
    let clients: BusClients
    let table: RequestTable
    let deliveries: Deliveries
    let limits: Limits
    var records: RequestRecords { deliveries.surroundings.records }
    let schemes: SchemesService
    private let arrivals: ArrivalOrder
    let acceptance: RequestAcceptance
    private let descriptors: DescriptorBudget
    private var isEnding = false

    init(
        store: Store, schemes: SchemesService, clients: BusClients, arrivals: ArrivalOrder, table: RequestTable,
        deliveries: Deliveries, acceptance: RequestAcceptance, descriptors: DescriptorBudget, limits: Limits
    ) {
        (self.store, self.schemes, self.clients, self.arrivals) = (store, schemes, clients, arrivals)
        (self.table, self.deliveries, self.acceptance) = (table, deliveries, acceptance)
        (self.descriptors, self.limits) = (descriptors, limits)
        schemes.registered = { [weak deliveries] application, isOwner in
            deliveries?.registered(application, isOwner: isOwner)
        }
        schemes.refusal = { [weak deliveries] in deliveries?.refusal(of: $0) }
    }

    // MARK: OpenURL

    /// What needs no question to anybody begins at once, and goes on to its end without a task.
    func openURL(
        _ input: (String, OpenURLOptions), _ call: IncomingCall, _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) {
        do {
            let request = try ValidatedRequest(url: input.0, options: input.1, limits: limits)
            if try openAtOnce(request, call, answer) { return }
            DBusActor.begin {
                do { answer(.success(try await self.openInTurn(request, call))) } catch { answer(.failure(error)) }
            }
        } catch { answer(.failure(error)) }
    }

    private func openInTurn(_ request: ValidatedRequest, _ call: IncomingCall) async throws -> OpenURLResult {
        let held = try descriptors.charge(request.items?.fileCount ?? 0, to: call.sender)
        defer { held.release() }
        guard let id = request.id else { return try await open(request, call) }
        do {
            return try await open(request, call)
        } catch let error where error.saysNobodyIsThere || error is LimitExceeded {
            // The answer for an ended request is in its record, even if its handler left or there is no room for a new one.
            guard let known = try await ended(id, request) else { throw error }
            return known
        }
    }

    private func ended(_ id: RequestID, _ request: ValidatedRequest) async throws -> OpenURLResult? {
        guard let record = try await store.commit({ try $0.requests.record(id) }), let outcome = record.outcome else {
            return nil
        }
        let items = request.items?.hasFiles == true ? try await inline(request.items ?? []) : request.items
        guard record.arguments == (try request.digest(items)) else { throw RequestError.identifierReused(id) }
        return OpenURLResult(record, outcome: outcome)
    }

    private func inline(_ items: [PasteboardItem]) async throws -> [PasteboardItem] {
        try await store.intake.take(items, persistent: false, sensitive: true)
    }

    /// Fixes the receiver and the source, and accepts. What needs no question to the bus passes at once; what does, or has
    /// files to take in, keeps its place among the requests of its caller.
    private func open(_ request: ValidatedRequest, _ call: IncomingCall) async throws -> OpenURLResult {
        let caller = call.sender
        guard !isEnding else { throw StoreError.unavailable }
        if let id = request.id, let pending = table[id], !pending.life.hasEnded || !pending.life.isOrphan {
            // Its receiver was fixed with the first call, whatever has become of claims and policies.
            return try await repeated(request, pending, call)
        }
        if let (source, target) = try known(request, of: caller) {
            return try await accept(request, request.items, target, source, call, in: nil)
        }
        let turn = try await arrivals.turn(of: caller)
        defer { turn.end() }
        if let name = request.pasteboard { try await clients.visibility(of: caller).check(name) }
        let source = await clients.source(stated: request.source, by: caller)
        var resolution = await schemes.resolve(request.url, pinned: request.application, queued: request.isQueued)
        let desktop = try await schemes.desktopHandler(of: request, resolution, for: caller)
        if let desktop { resolution = schemes.resolution(resolution, given: desktop) }
        let target = try self.target(resolution, request, source)
        let items = try await acceptance.takenIn(request)
        return try await accept(request, items, target, source, call, in: turn, desktop: desktop)
    }

    /// Source and receiver of a request, where nobody needs to be asked and nothing to be taken in.
    private func known(
        _ request: ValidatedRequest, of caller: BusName?
    ) throws -> (source: Source, target: ApplicationID)? {
        guard request.items?.hasFiles != true, !arrivals.isOccupied(caller),
            let source = clients.knownSource(stated: request.source, by: caller),
            let resolution = schemes.knownResolution(
                request.url, pinned: request.application, queued: request.isQueued),
            // Whether the desktop has a handler has to be asked.
            resolution.application != nil || schemes.desktop == nil || !(request.mayGoToDesktop || request.isQueued),
            let visibility = request.pasteboard == nil ? .whole : clients.knownVisibility(of: caller)
        else { return nil }
        if let name = request.pasteboard { try visibility.check(name) }
        return (source, try target(resolution, request, source))
    }

    /// Opens what nobody needs to be asked for and whose sender waits; false, and no effect, for anything else.
    private func openAtOnce(
        _ request: ValidatedRequest, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) throws -> Bool {
        guard !isEnding, !request.isQueued, request.id.map({ table[$0] == nil }) ?? true else { return false }
        let place: (source: Source, target: ApplicationID)?
        do { place = try known(request, of: call.sender) } catch let error
            where error.saysNobodyIsThere && request.id != nil
        { return false }
        guard let (source, target) = place else { return false }
        let digest = try request.id.map { _ in try request.digest(request.items) }
        let pending: PendingRequest
        do {
            pending = try acceptance.begin(
                request, request.items, digest, target, source, by: call.sender, after: nil)
        } catch is LimitExceeded where request.id != nil { return false }
        call.releaseShare()
        acceptance.accept(pending, request, request.items, source) { accepted in
            do {
                if let result = try self.settle(try accepted.get(), pending, call) { return answer(.success(result)) }
                self.awaitEnd(of: pending, request, call, answer)
            } catch { answer(.failure(error)) }
        }
        return true
    }

    /// Who gets the request, if it may be accepted.
    private func target(
        _ resolution: Resolution, _ request: ValidatedRequest, _ source: Source
    ) throws -> ApplicationID {
        try resolution.acceptance(queued: request.isQueued)
        guard let application = resolution.application else { throw RoutingError.noHandler(resolution.scheme) }
        try schemes.policies.check(source, opens: application)
        let depth = table.depth(below: request.parent)
        guard UInt64(depth) <= limits.loopDepth else {
            throw IPCError(
                .loopDetected,
                "\(depth) handlers have opened each other's URLs in a row; at most \(limits.loopDepth) may")
        }
        if !request.isQueued, !resolution.running, let refusal = deliveries.refusal(of: application) {
            throw IPCError(.handlerUnavailable, refusal)
        }
        return application
    }

    private func accept(
        _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ target: ApplicationID, _ source: Source,
        _ call: IncomingCall, in turn: CallerTurn?, desktop: DesktopHandler? = nil
    ) async throws -> OpenURLResult {
        let digest = try request.id.map { _ in try request.digest(items) }
        var earlier: PendingRequest?
        if let id = request.id, let pending = table[id] {
            guard pending.digest == digest else { throw RequestError.identifierReused(id) }
            guard pending.life.isOrphan, !pending.life.hasEnded else {
                turn?.end()
                return try await join(pending, request, call)
            }
            earlier = pending
        }
        let pending = try acceptance.begin(
            request, items, digest, target, source, by: call.sender, after: earlier, desktop: desktop)
        call.releaseShare()
        // Its place is taken: the caller's next request stands behind it.
        turn?.end()
        let accepted: Acceptance
        do {
            accepted = try await acceptance.accept(pending, request, items, source)
        } catch {
            acceptance.refuse(pending, error, restoring: earlier)
            throw error
        }
        if let result = try settle(accepted, pending, call) { return result }
        return try await request.isQueued ? queued(pending) : end(of: pending, request, call)
    }

    /// The result of a request that has ended before; nil where it is accepted now.
    private func settle(
        _ accepted: Acceptance, _ pending: PendingRequest, _ call: IncomingCall
    ) throws -> OpenURLResult? {
        switch accepted {
        case .ended(let record, let outcome):
            pending.changeCount = record.changeCount == 0 ? nil : record.changeCount
            acceptance.withdraw(pending, .success(RequestEnd(record, outcome)))
            return OpenURLResult(record, outcome: outcome)
        case .bound(let payload):
            if payload.isNewPasteboard, let name = payload.pasteboard {
                try call.emitAfterReply(Pasteboards1.pasteboardAdded, from: Broker1.path, name.text)
            }
            return nil
        }
    }

    /// The same call again: it joins the one that is under way; what an earlier broker left goes on with it.
    private func repeated(
        _ request: ValidatedRequest, _ pending: PendingRequest, _ call: IncomingCall
    ) async throws -> OpenURLResult {
        let turn = request.items?.hasFiles == true ? try await arrivals.turn(of: call.sender) : nil
        defer { turn?.end() }
        let items = try await acceptance.takenIn(request)
        return try await accept(
            request, items, pending.application, pending.source, call, in: turn, desktop: pending.desktop)
    }

    private func queued(_ pending: PendingRequest) -> OpenURLResult {
        let result = OpenURLResult(queued: pending)
        Slices.forEach(pending.takeAcceptanceWaiters()) { $0.end(with: .success(result)) }
        pending.handle(.stored)
        return result
    }

    private func end(
        of pending: PendingRequest, _ request: ValidatedRequest, _ call: IncomingCall
    ) async throws -> OpenURLResult {
        try await withCheckedThrowingContinuation { continuation in
            awaitEnd(of: pending, request, call) { continuation.resume(with: $0) }
        }
    }

    /// Lets a request be delivered, and its sender wait for the end.
    private func awaitEnd(
        of pending: PendingRequest, _ request: ValidatedRequest, _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<OpenURLResult>
    ) {
        let waiter = RequestWaiter(call.sender, .sender, takesDescriptors: request.takesDescriptors)
        table.note(waiter)
        waiter.begin { result in
            self.table.forget(waiter)
            answer(result)
        }
        records.add(waiter, to: pending)
        if let caller = call.sender, clients.hasDeparted(caller) { callerLeft(caller) }
        pending.handle(.stored)
    }

    /// A repeated call has one effect and the same result (I10): it waits for the one that is under way.
    private func join(
        _ pending: PendingRequest, _ request: ValidatedRequest, _ call: IncomingCall
    ) async throws -> OpenURLResult {
        try await join(pending, call, takesDescriptors: request.takesDescriptors)
    }

    /// Waits for the end of a request, or, where it is queued, until it is on the disk.
    func join(
        _ pending: PendingRequest, _ call: IncomingCall, takesDescriptors: Bool = false
    ) async throws -> OpenURLResult {
        if pending.isQueued, pending.life.isAccepted { return OpenURLResult(queued: pending) }
        try table.checkRoomForWaiter(of: call.sender)
        let waiter = RequestWaiter(call.sender, .repetition, takesDescriptors: takesDescriptors)
        table.note(waiter)
        defer { table.forget(waiter) }
        return try await waiter.wait {
            if !pending.isQueued {
                self.records.add(waiter, to: pending)
            } else if pending.life.isAccepted {
                waiter.end(with: .success(OpenURLResult(queued: pending)))
            } else if let conclusion = pending.conclusion {
                waiter.end(with: conclusion.content.map { _ in OpenURLResult(queued: pending) })
            } else {
                pending.addToAcceptance(waiter)
            }
        } gaveUp: {
            OpenURLResult(queued: pending)
        }
    }

    // MARK: Callers and the end

    /// A sender that left is not waited for: what was not delivered is cancelled.
    func callerLeft(_ caller: BusName) {
        Slices.forEach(table.takeWaiters(of: caller)) { waiter in
            let request = waiter.request
            waiter.end(with: .failure(ErrorReply(.noReply, "the caller has left")))
            guard let request, waiter.isSender || self.clients.hasDeparted(request.caller) else { return }
            self.cancelUnwanted(request)
        }
    }

    private func cancelUnwanted(_ request: PendingRequest) {
        // Another call may wait for the same request.
        guard !request.isQueued, request.waiters.isEmpty, request.life.isUnsent || request.life.isLeaving else {
            return
        }
        request.handle(.calledOff(.senderLeft))
    }

    /// Accepts no more, and lets who waits for an answer have it for a while.
    func finish(within patience: Duration) async {
        isEnding = true
        await deliveries.finish(within: patience)
    }

    var exported: ExportedInterface {
        ExportedInterface(
            URLs1.description,
            methods: [
                URLs1.openURL.answered(later: { self.openURL($0, $1, $2) }),
                URLs1.getRequest.answered { try await self.getRequest($0.0, $1) },
                URLs1.waitRequest.answered { try await self.waitRequest($0.0, $0.1, $1) },
                URLs1.cancelRequest.answered { try await self.cancelRequest($0.0, $1) },
                URLs1.retryRequest.answered { try await self.retryRequest($0.0, $0.1, $1) },
                URLs1.dropRequest.answered { try await self.dropRequest($0.0, $1) },
                URLs1.listRequests.answered { try await self.listRequests($0, $1) },
                URLs1.traceRequest.answered { try await self.traceRequest($0.0, $1) },
            ])
    }
}

extension Error {
    /// Whether it says that there is no handler, or none that can be had now.
    fileprivate var saysNobodyIsThere: Bool {
        guard let code = (self as? any Condition)?.ipcError.code else { return false }
        return code == .noHandler || code == .handlerUnavailable
    }
}
