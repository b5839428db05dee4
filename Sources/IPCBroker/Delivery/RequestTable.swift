internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// All `OpenURL` requests that have not ended, and the charges of each source and each handler.
@DBusActor
final class RequestTable {
    /// The amounts charged for requests. Sums are clamped, because a record in the store may state any size.
    struct Charges {
        private(set) var requests: UInt64 = 0
        private(set) var bytes: UInt64 = 0
        /// The memory of the requests whose senders are waiting, in bytes.
        private(set) var waitingBytes: UInt64 = 0
        private(set) var queued: UInt64 = 0

        init() {}

        @DBusActor
        init(of request: PendingRequest) {
            (requests, bytes) = (1, request.size)
            if request.isQueued { queued = 1 } else { waitingBytes = request.memory }
        }

        static func += (sum: inout Charges, one: Charges) {
            sum.requests = sum.requests.addingClamped(one.requests)
            sum.bytes = sum.bytes.addingClamped(one.bytes)
            sum.waitingBytes = sum.waitingBytes.addingClamped(one.waitingBytes)
            sum.queued = sum.queued.addingClamped(one.queued)
        }

        static func -= (sum: inout Charges, one: Charges) {
            sum.requests -= min(sum.requests, one.requests)
            sum.bytes -= min(sum.bytes, one.bytes)
            sum.waitingBytes -= min(sum.waitingBytes, one.waitingBytes)
            sum.queued -= min(sum.queued, one.queued)
        }
    }

    /// The account of a source or a handler.
    @DBusActor
    final class Load {
        var charges = Charges()
        /// The source of the account's requests, kept so that all these requests share one string.
        var source: Source?
        var application: ApplicationID?
    }

    @DBusActor
    struct Loads {
        let source: Load
        let handler: Load
    }

    /// The charges against which a request is checked.
    fileprivate struct Use: Sendable {
        var source = Charges()
        var handler = Charges()
        var total = Charges()

        /// Runs a check with these charges. If it fails, repeats it without charges: if the request by itself is too
        /// large, the error must say this, even if a limit is also reached because of other requests.
        func check(_ body: (Use) throws(LimitExceeded) -> Void) throws(LimitExceeded) {
            do throws(LimitExceeded) { try body(self) } catch {
                try body(Use())
                throw error
            }
        }
    }

    /// The limits for a request whose payload is not known yet, and the charges of all other requests.
    struct PayloadRoom: Sendable {
        fileprivate let limits: Limits
        fileprivate let own: Charges
        fileprivate let others: Use

        /// Refuses a payload that makes its request exceed a limit.
        func check(_ byteCount: UInt64) throws(LimitExceeded) {
            let bytes = own.bytes.addingClamped(byteCount)
            let memory = own.waitingBytes.addingClamped(byteCount)
            try others.check { (use) throws(LimitExceeded) in
                try limits.check(\.pendingBytesPerSource, use: use.source.bytes, request: bytes)
                try limits.check(\.pendingBytesPerHandler, use: use.handler.bytes, request: bytes)
                guard own.queued == 0 else { return }
                try limits.check(\.waitingBytes, use: use.total.waitingBytes, request: memory)
            }
        }
    }

    private let limits: Limits
    private var requests: [RequestID: PendingRequest] = [:]
    private var ofSource: [Payer: Load] = [:]
    private var ofHandler: [ApplicationID: Load] = [:]
    private var waiters: [BusName?: CallerWaiters] = [:]
    /// The number of waiting calls that count against the limits.
    private(set) var waiterCount = 0
    private var total = Charges()
    private let deadlines = Deadlines<PendingRequest>()
    private var last: UInt64 = 0
    private var depths = RecentDepths()
    private let idle = Waiters()

    var deadlinePassed: @DBusActor (PendingRequest) -> Void = { _ in }
    /// Runs when a request has been added or removed.
    var changed: @DBusActor () -> Void = {}

    init(limits: Limits) {
        self.limits = limits
        deadlines.passed = { [weak self] request, now in
            // The request's deadline may be later now than when this entry was made.
            guard let self, let deadline = request.deadline else { return }
            if deadline <= now { deadlinePassed(request) } else { deadlines.insert(request, at: deadline) }
        }
    }

    var count: Int { requests.count }

    subscript(id: RequestID) -> PendingRequest? { requests[id] }

    var delivered: Set<RequestID> { Set(requests.values.lazy.filter { $0.life.isDelivered }.map(\.id)) }

    /// The number of requests whose sender is waiting.
    private(set) var waitingCount = 0

    // MARK: Admission

    /// The memory that a queued request takes, in bytes.
    static let queuedCost: UInt64 = 1_152

    /// Refuses a request that exceeds a limit.
    /// - Parameters:
    ///   - size: the size of the URL and the payload, in bytes.
    ///   - memory: the memory that the request takes while its sender is waiting, in bytes; by default `size`.
    func checkRoom(
        for application: ApplicationID, payer: Payer, size: UInt64, memory: UInt64? = nil, isQueued: Bool
    ) throws(LimitExceeded) {
        let use = Use(
            source: ofSource[payer]?.charges ?? Charges(), handler: ofHandler[application]?.charges ?? Charges(),
            total: total)
        try use.check { (use) throws(LimitExceeded) in
            try check(size, memory: memory ?? size, isQueued: isQueued, beside: use)
        }
    }

    private func check(_ size: UInt64, memory: UInt64, isQueued: Bool, beside use: Use) throws(LimitExceeded) {
        let (own, total) = (use.source, use.total)
        try limits.checkShared(\.pendingRequests, use: total.requests, ofPayer: own.requests, request: 1)
        try limits.check(\.pendingRequestsPerSource, use: own.requests, request: 1)
        try limits.check(\.pendingRequestsPerHandler, use: use.handler.requests, request: 1)
        try limits.check(\.pendingBytesPerSource, use: own.bytes, request: size)
        try limits.check(\.pendingBytesPerHandler, use: use.handler.bytes, request: size)
        if !isQueued {
            try limits.checkShared(
                \.waitingBytes, use: total.waitingBytes, ofPayer: own.waitingBytes, request: memory)
        }
        try checkMemory(isQueued ? Self.queuedCost : memory, beside: total)
    }

    /// Limits the memory of all requests to `waitingBytes`, or to what `pendingRequests` queued requests take if that
    /// is more.
    private func checkMemory(_ request: UInt64, beside total: Charges) throws(LimitExceeded) {
        let most = max(limits.waitingBytes, min(limits.pendingRequests, 1 << 40) * Self.queuedCost)
        let use = total.waitingBytes.addingClamped(total.queued * Self.queuedCost)
        guard request > 0, use.addingClamped(request) > most else { return }
        throw LimitExceeded(
            limit: "pending-requests", use: use / Self.queuedCost, request: (request - 1) / Self.queuedCost + 1,
            allowed: most / Self.queuedCost)
    }

    /// Returns an equal source that shares its string with the payer's other requests, to save memory.
    func shared(_ source: Source, payer: Payer) -> Source {
        guard let known = ofSource[payer]?.source, known == source else { return source }
        return known
    }

    /// Returns an equal id that shares its string with the other requests for the application.
    func shared(_ application: ApplicationID) -> ApplicationID { ofHandler[application]?.application ?? application }

    func insert(_ request: PendingRequest) {
        last += 1
        request.number = last
        requests[request.id] = request
        changed()
        charge(request)
        if !request.isQueued, !request.life.isOrphan { waitingCount += 1 }
        watch(request)
    }

    func remove(_ request: PendingRequest) {
        guard requests[request.id] === request else { return }
        requests[request.id] = nil
        changed()
        deadlines.remove(request)
        refund(request)
        if !request.isQueued, !request.life.isOrphan { waitingCount -= 1 }
        // Depth 0 does not have to be kept, because an unknown request counts as depth 0.
        if request.depth > 0 { depths.add(request.id, request.depth) }
        if waitingCount == 0 { idle.resumeAll() }
    }

    /// Updates the charges of a request once its payload is known.
    func recharge(_ request: PendingRequest, size: UInt64, memory: UInt64) {
        guard requests[request.id] === request else { return }
        refund(request)
        request.setSize(size, memory: memory)
        charge(request)
    }

    /// The room that the limits leave for a request's payload, which is known only when the store has read it.
    func room(for request: PendingRequest) -> PayloadRoom {
        let own = Charges(of: request)
        var others = Use(total: total)
        if let loads = request.loads {
            (others.source, others.handler) = (loads.source.charges, loads.handler.charges)
            others.source -= own
            others.handler -= own
            others.total -= own
        }
        return PayloadRoom(limits: limits, own: own, others: others)
    }

    private func charge(_ request: PendingRequest) {
        let loads = Loads(
            source: ofSource[request.payer] ?? Load(), handler: ofHandler[request.application] ?? Load())
        if loads.source.charges.requests == 0 {
            loads.source.source = request.source
            ofSource[request.payer] = loads.source
        }
        if loads.handler.charges.requests == 0 {
            loads.handler.application = request.application
            ofHandler[request.application] = loads.handler
        }
        request.loads = loads
        let charges = Charges(of: request)
        loads.source.charges += charges
        loads.handler.charges += charges
        total += charges
    }

    private func refund(_ request: PendingRequest) {
        guard let loads = request.loads else { return }
        request.loads = nil
        let charges = Charges(of: request)
        loads.source.charges -= charges
        loads.handler.charges -= charges
        total -= charges
        if loads.source.charges.requests == 0 { ofSource[request.payer] = nil }
        if loads.handler.charges.requests == 0 { ofHandler[request.application] = nil }
    }

    // MARK: Waiting calls

    /// Refuses a call if its caller, or all callers together, have too many waiting calls.
    func checkRoomForWaiter(of caller: BusName?) throws(LimitExceeded) {
        let own = waiters[caller]?.charged ?? 0
        try limits.check(\.requestWaitersPerCaller, use: UInt64(own), request: 1)
        try limits.check(\.requestWaiters, use: UInt64(waiterCount), request: 1)
    }

    func note(_ waiter: RequestWaiter) {
        waiters[waiter.caller, default: CallerWaiters()].all.insert(waiter)
        guard waiter.isCharged else { return }
        waiterCount += 1
        waiters[waiter.caller]?.charged += 1
    }

    func forget(_ waiter: RequestWaiter) {
        guard let place = waiters.index(forKey: waiter.caller), waiters.values[place].all.remove(waiter) else {
            return
        }
        if waiter.isCharged {
            waiterCount -= 1
            waiters.values[place].charged -= 1
        }
        if waiters.values[place].all.isEmpty { waiters.remove(at: place) }
    }

    func takeWaiters(of caller: BusName) -> [RequestWaiter] {
        guard var own = waiters.removeValue(forKey: caller) else { return [] }
        waiterCount -= own.charged
        return own.all.takeAll()
    }

    var all: [PendingRequest] { Array(requests.values) }

    /// All requests without a record in the store, in the order of arrival.
    func unrecorded() -> [PendingRequest] {
        requests.values.filter { !$0.hasRecord }.sorted { $0.number < $1.number }
    }

    /// The depth of a request that a handler sends while it handles `parent`: the number of requests that led to it.
    func depth(below parent: RequestID?) -> UInt32 {
        guard let parent else { return 0 }
        return (requests[parent]?.depth ?? depths[parent] ?? 0) + 1
    }

    // MARK: Time

    /// Schedules the deadline of a request after its state has changed. If an earlier time is already scheduled, that
    /// one stays: checking the request too early costs less than rescheduling it on each change.
    func watch(_ request: PendingRequest) {
        if let deadline = request.deadline { deadlines.insert(request, at: deadline) }
    }

    /// Returns once no sender is waiting.
    func quiet() async { await idle.wait { waitingCount > 0 } }
}

@DBusActor
private struct CallerWaiters {
    var all = RequestWaiters()
    /// The number of calls that count against the limit.
    var charged = 0
}

/// The depths of the requests that ended most recently. A handler may still open more URLs after it has answered.
private struct RecentDepths {
    private var depths: [RequestID: UInt32] = [:]
    private var order: [RequestID] = []
    private var next = 0

    private static let most = 4_096

    subscript(id: RequestID) -> UInt32? { depths[id] }

    mutating func add(_ id: RequestID, _ depth: UInt32) {
        guard depths.updateValue(depth, forKey: id) == nil else { return }
        guard order.count == Self.most else { return order.append(id) }
        depths[order[next]] = nil
        order[next] = id
        next = (next + 1) % Self.most
    }
}
