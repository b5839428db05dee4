internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// All open requests that have not ended, and how much each source and each handler has of them.
@DBusActor
final class RequestTable {
    /// How many requests, and the bytes of their payloads.
    @DBusActor
    final class Load {
        var requests: UInt64 = 0
        var bytes: UInt64 = 0
        /// What those whose senders wait take in memory.
        var waitingBytes: UInt64 = 0
        /// Of one of them: all others have the same texts in memory.
        var source: Source?
        var application: ApplicationID?

        /// Adds a request, or takes it off.
        func count(_ request: PendingRequest, _ apply: (inout UInt64, UInt64) -> Void) {
            apply(&requests, 1)
            apply(&bytes, request.size)
            if !request.isQueued { apply(&waitingBytes, request.memory) }
        }
    }

    /// The accounts that a request is on.
    @DBusActor
    struct Loads {
        let source: Load
        let handler: Load
    }

    private let limits: Limits
    private var requests: [RequestID: PendingRequest] = [:]
    private var ofSource: [Payer: Load] = [:]
    private var ofHandler: [ApplicationID: Load] = [:]
    private var waiters: [BusName?: CallerWaiters] = [:]
    /// Calls that wait for a request that is charged to another call.
    private(set) var waiterCount = 0
    /// What requests whose senders wait take in memory.
    private var waitingBytes: UInt64 = 0
    private var queuedCount: UInt64 = 0
    private var deadlines = DeadlineQueue<PendingRequest>()
    private var last: UInt64 = 0
    private let timer = DBusTimer()
    private var depths = RecentDepths()
    private var idle: [CheckedContinuation<Void, Never>] = []

    /// The time of a request is over.
    var deadlinePassed: @DBusActor (PendingRequest) -> Void = { _ in }

    init(limits: Limits) { self.limits = limits }

    var count: Int { requests.count }

    subscript(id: RequestID) -> PendingRequest? { requests[id] }

    /// The requests that their handlers have.
    var delivered: Set<RequestID> { Set(requests.values.lazy.filter { $0.life.isDelivered }.map(\.id)) }

    /// Requests whose sender waits.
    private(set) var waitingCount = 0

    // MARK: Admission

    /// Bytes that a queued request takes in memory.
    static let queuedCost: UInt64 = 1_152

    /// Refuses a request that would be too many, or whose payload would be too much.
    /// - Parameters:
    ///   - size: bytes of URL and payload.
    ///   - memory: bytes that it takes in memory where its sender waits; by themselves those of URL and payload.
    func checkRoom(
        for application: ApplicationID, payer: Payer, size: UInt64, memory: UInt64? = nil, isQueued: Bool
    ) throws(LimitExceeded) {
        let (own, handlers) = (ofSource[payer], ofHandler[application])
        try limits.checkShared(
            \.pendingRequests, use: UInt64(requests.count), ofPayer: own?.requests ?? 0, request: 1)
        try limits.check(\.pendingRequestsPerSource, use: own?.requests ?? 0, request: 1)
        try limits.check(\.pendingRequestsPerHandler, use: handlers?.requests ?? 0, request: 1)
        try limits.check(\.pendingBytesPerSource, use: own?.bytes ?? 0, request: size)
        try limits.check(\.pendingBytesPerHandler, use: handlers?.bytes ?? 0, request: size)
        if !isQueued {
            try limits.checkShared(
                \.waitingBytes, use: waitingBytes, ofPayer: own?.waitingBytes ?? 0, request: memory ?? size)
        }
        try checkMemory(isQueued ? Self.queuedCost : memory ?? size)
    }

    /// All requests together take no more memory than as many queued ones as there may be, or than may wait.
    private func checkMemory(_ request: UInt64) throws(LimitExceeded) {
        let most = max(limits.waitingBytes, min(limits.pendingRequests, 1 << 40) * Self.queuedCost)
        let use = waitingBytes.addingClamped(queuedCount * Self.queuedCost)
        guard request > 0, use.addingClamped(request) > most else { return }
        // In the unit of the limit that says it.
        throw LimitExceeded(
            limit: "pending-requests", use: use / Self.queuedCost, request: (request - 1) / Self.queuedCost + 1,
            allowed: most / Self.queuedCost)
    }

    /// The same source, with the text that other requests of it have: a hundred thousand copies would be felt.
    func shared(_ source: Source, payer: Payer) -> Source {
        guard let known = ofSource[payer]?.source, known == source else { return source }
        return known
    }

    /// The same application, with the text that other requests for it have.
    func shared(_ application: ApplicationID) -> ApplicationID { ofHandler[application]?.application ?? application }

    func insert(_ request: PendingRequest) {
        last += 1
        request.number = last
        requests[request.id] = request
        charge(request)
        if request.isQueued { queuedCount += 1 } else { waitingBytes = waitingBytes.addingClamped(request.memory) }
        if !request.isQueued, !request.life.isOrphan { waitingCount += 1 }
        watch(request)
    }

    /// Takes a request out that has ended, or was not accepted.
    func remove(_ request: PendingRequest) {
        guard requests[request.id] === request else { return }
        requests[request.id] = nil
        deadlines.remove(request)
        refund(request)
        if request.isQueued { queuedCount -= 1 } else { waitingBytes -= min(waitingBytes, request.memory) }
        if !request.isQueued, !request.life.isOrphan { waitingCount -= 1 }
        // Of one at the top is known as much as of one that nobody knows.
        if request.depth > 0 { depths.add(request.id, request.depth) }
        if waitingCount == 0 { wakeIdle() }
    }

    /// Charges a request with what turned out to go with it.
    func recharge(_ request: PendingRequest, size: UInt64, memory: UInt64) {
        guard requests[request.id] === request else { return }
        refund(request)
        if !request.isQueued { waitingBytes -= min(waitingBytes, request.memory) }
        request.setSize(size, memory: memory)
        charge(request)
        if !request.isQueued { waitingBytes = waitingBytes.addingClamped(request.memory) }
    }

    /// How many bytes more a request may turn out to have.
    func room(for request: PendingRequest) -> UInt64 {
        let (own, handlers) = (request.loads?.source.bytes ?? 0, request.loads?.handler.bytes ?? 0)
        var room = min(
            limits.pendingBytesPerSource - min(limits.pendingBytesPerSource, own),
            limits.pendingBytesPerHandler - min(limits.pendingBytesPerHandler, handlers))
        if !request.isQueued { room = min(room, limits.waitingBytes - min(limits.waitingBytes, waitingBytes)) }
        return room
    }

    private func charge(_ request: PendingRequest) {
        let loads = Loads(
            source: ofSource[request.payer] ?? Load(), handler: ofHandler[request.application] ?? Load())
        if loads.source.requests == 0 {
            loads.source.source = request.source
            ofSource[request.payer] = loads.source
        }
        if loads.handler.requests == 0 {
            loads.handler.application = request.application
            ofHandler[request.application] = loads.handler
        }
        request.loads = loads
        // What the store says of a request may be anything.
        for load in [loads.source, loads.handler] { load.count(request) { $0 = $0.addingClamped($1) } }
    }

    private func refund(_ request: PendingRequest) {
        guard let loads = request.loads else { return }
        request.loads = nil
        for load in [loads.source, loads.handler] { load.count(request) { $0 -= min($0, $1) } }
        if loads.source.requests == 0 { ofSource[request.payer] = nil }
        if loads.handler.requests == 0 { ofHandler[request.application] = nil }
    }

    // MARK: Those who wait

    /// Refuses a caller that waits for too much at a time, or one too many of all.
    func checkRoomForWaiter(of caller: BusName?) throws(LimitExceeded) {
        let own = waiters[caller]?.charged ?? 0
        try limits.check(\.requestWaitersPerCaller, use: UInt64(own), request: 1)
        try limits.check(\.requestWaiters, use: UInt64(waiterCount), request: 1)
    }

    func note(_ waiter: RequestWaiter) {
        if waiter.isCharged { waiterCount += 1 }
        waiters[waiter.caller, default: CallerWaiters()].insert(waiter)
    }

    func forget(_ waiter: RequestWaiter) {
        guard let place = waiters.index(forKey: waiter.caller), waiters.values[place].remove(waiter) else { return }
        if waiter.isCharged { waiterCount -= 1 }
        if waiters.values[place].isEmpty { waiters.remove(at: place) }
    }

    /// Removes and returns everything that a caller waits for.
    func takeWaiters(of caller: BusName) -> [RequestWaiter] {
        guard let all = waiters.removeValue(forKey: caller) else { return [] }
        waiterCount -= all.charged
        return all.inOrder
    }

    var all: [PendingRequest] { Array(requests.values) }

    /// All requests of which the store has no record, in the order in which they came.
    func unrecorded() -> [PendingRequest] {
        requests.values.filter { !$0.hasRecord }.sorted { $0.number < $1.number }
    }

    /// How many handlers opened each other's URLs before a request that is sent while another one is handled.
    func depth(below parent: RequestID?) -> UInt32 {
        guard let parent else { return 0 }
        return (requests[parent]?.depth ?? depths[parent] ?? 0) + 1
    }

    // MARK: Time

    /// Expects the deadline of a request after a change of its state. If the deadline has become later, the former one stays:
    /// to look at the request too early costs less than to move it at each change.
    func watch(_ request: PendingRequest) {
        if let deadline = request.deadline { deadlines.insert(request, at: deadline) }
        arm()
    }

    private func arm() {
        guard let first = deadlines.first else { return timer.cancel() }
        // One that is set too early costs a look, which is less than setting it for each request.
        if let set = timer.deadline, set <= first { return }
        timer.set(at: first) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        // A slice at a time: the timer is due again at once where more have passed.
        for _ in 0..<Slices.size {
            guard let request = deadlines.takeDue(at: now) else { break }
            // Its deadline may have moved since.
            guard let deadline = request.deadline else { continue }
            if deadline <= now { deadlinePassed(request) } else { deadlines.insert(request, at: deadline) }
        }
        arm()
    }

    // MARK: The end of the broker

    /// Returns when no sender waits any more.
    func quiet() async {
        await withCheckedContinuation { continuation in
            if waitingCount == 0 { continuation.resume() } else { idle.append(continuation) }
        }
    }

    private func wakeIdle() {
        let waiting = idle
        idle = []
        for continuation in waiting { continuation.resume() }
    }
}

/// What one caller waits for.
@DBusActor
private struct CallerWaiters {
    private var waiters: [UInt64: RequestWaiter] = [:]
    /// Those that count against the limit.
    private(set) var charged = 0

    var isEmpty: Bool { waiters.isEmpty }

    /// In the order in which they came.
    var inOrder: [RequestWaiter] { waiters.values.sorted { $0.number < $1.number } }

    mutating func insert(_ waiter: RequestWaiter) {
        waiters[waiter.number] = waiter
        if waiter.isCharged { charged += 1 }
    }

    /// - Returns: whether it was here.
    mutating func remove(_ waiter: RequestWaiter) -> Bool {
        guard waiters.removeValue(forKey: waiter.number) != nil else { return false }
        if waiter.isCharged { charged -= 1 }
        return true
    }
}

/// The depths of the requests that ended last: a handler may go on opening URLs after its answer.
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
