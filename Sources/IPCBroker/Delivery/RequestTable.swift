internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// All open requests that have not ended, and how much each source and each handler has of them.
@DBusActor
final class RequestTable {
    /// How many requests, and the bytes of their payloads.
    struct Load {
        var requests: UInt64 = 0
        var bytes: UInt64 = 0
        /// Of one of them: all others have the same texts in memory.
        var source: Source?
        var application: ApplicationID?
    }

    private let limits: Limits
    private var requests: [RequestID: PendingRequest] = [:]
    private var ofSource: [String: Load] = [:]
    private var ofHandler: [ApplicationID: Load] = [:]
    private var waiters: [BusName: [ObjectIdentifier: (waiter: RequestWaiter, request: PendingRequest)]] = [:]
    private var waitingBytes: UInt64 = 0
    private var deadlines = DeadlineQueue()
    private var byNumber: [UInt64: PendingRequest] = [:]
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
    private(set) var delivered: Set<RequestID> = []

    /// Requests whose sender waits.
    private(set) var waitingCount = 0

    // MARK: Admission

    /// Refuses a request that would be too many, or whose payload would be too much.
    func checkRoom(
        for application: ApplicationID, payer: String, size: UInt64, isQueued: Bool
    ) throws(LimitExceeded) {
        try limits.check(\.pendingRequests, use: UInt64(requests.count), request: 1)
        let (own, handlers) = (ofSource[payer] ?? Load(), ofHandler[application] ?? Load())
        try limits.check(\.pendingRequestsPerSource, use: own.requests, request: 1)
        try limits.check(\.pendingRequestsPerHandler, use: handlers.requests, request: 1)
        try limits.check(\.pendingBytesPerSource, use: own.bytes, request: size)
        try limits.check(\.pendingBytesPerHandler, use: handlers.bytes, request: size)
        if !isQueued { try limits.check(\.waitingBytes, use: waitingBytes, request: size) }
    }

    /// The same source, with the text that other requests of it have: a hundred thousand copies would be felt.
    func shared(_ source: Source, payer: String) -> Source {
        guard let known = ofSource[payer]?.source, known == source else { return source }
        return known
    }

    /// The same application, with the text that other requests for it have.
    func shared(_ application: ApplicationID) -> ApplicationID { ofHandler[application]?.application ?? application }

    func insert(_ request: PendingRequest) {
        last += 1
        request.number = last
        requests[request.id] = request
        byNumber[request.number] = request
        change(request) { $0 += $1 }
        if !request.isQueued { waitingBytes += request.size }
        if !request.isQueued, !request.isOrphan { waitingCount += 1 }
        watch(request)
    }

    /// Takes a request out that has ended, or was not accepted.
    func remove(_ request: PendingRequest) {
        guard requests[request.id] === request else { return }
        requests[request.id] = nil
        byNumber[request.number] = nil
        deadlines.remove(request.number)
        delivered.remove(request.id)
        change(request) { $0 -= min($0, $1) }
        if !request.isQueued { waitingBytes -= request.size }
        if !request.isQueued, !request.isOrphan { waitingCount -= 1 }
        depths.add(request.id, request.depth)
        if waitingCount == 0 { wakeIdle() }
    }

    /// Charges a request with what turned out to go with it.
    func recharge(_ request: PendingRequest, size: UInt64) {
        guard requests[request.id] === request else { return }
        change(request) { $0 -= min($0, $1) }
        if !request.isQueued { waitingBytes -= request.size }
        request.setSize(size)
        change(request) { $0 += $1 }
        if !request.isQueued { waitingBytes += request.size }
    }

    /// How many bytes more a request may turn out to have.
    func room(for request: PendingRequest) -> UInt64 {
        let own = ofSource[request.payer]?.bytes ?? 0
        let handlers = ofHandler[request.application]?.bytes ?? 0
        var room = min(
            limits.pendingBytesPerSource - min(limits.pendingBytesPerSource, own),
            limits.pendingBytesPerHandler - min(limits.pendingBytesPerHandler, handlers))
        if !request.isQueued { room = min(room, limits.waitingBytes - min(limits.waitingBytes, waitingBytes)) }
        return room
    }

    private func change(_ request: PendingRequest, _ apply: (inout UInt64, UInt64) -> Void) {
        func change<Key: Hashable>(_ loads: inout [Key: Load], _ key: Key) {
            var load = loads[key] ?? Load()
            apply(&load.requests, 1)
            apply(&load.bytes, request.size)
            (load.source, load.application) = (load.source ?? request.source, load.application ?? request.application)
            loads[key] = load.requests == 0 ? nil : load
        }
        change(&ofSource, request.payer)
        change(&ofHandler, request.application)
    }

    // MARK: Those who wait

    /// Refuses somebody who waits for too much at a time.
    func checkRoomForWaiter(of caller: BusName?) throws(LimitExceeded) {
        guard let caller else { return }
        try limits.check(\.watchersPerCaller, use: UInt64(waiters[caller]?.count ?? 0), request: 1)
    }

    func note(_ waiter: RequestWaiter, of request: PendingRequest) {
        guard let caller = waiter.caller else { return }
        waiters[caller, default: [:]][ObjectIdentifier(waiter)] = (waiter, request)
    }

    func forget(_ waiter: RequestWaiter) {
        guard let caller = waiter.caller, waiters[caller]?.removeValue(forKey: ObjectIdentifier(waiter)) != nil,
            waiters[caller]?.isEmpty == true
        else { return }
        waiters[caller] = nil
    }

    /// Everything that a caller waits for; with the request where the caller sent it and waits for its end.
    func waiters(of caller: BusName) -> [(waiter: RequestWaiter, request: PendingRequest?)] {
        (waiters[caller] ?? [:]).values.map { ($0.waiter, $0.waiter.isSender ? $0.request : nil) }
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

    /// Looks at a request anew whose state has changed, or its deadline.
    func watch(_ request: PendingRequest) {
        if request.state == .delivered { delivered.insert(request.id) } else { delivered.remove(request.id) }
        deadlines.remove(request.number)
        if let deadline = request.deadline { deadlines.insert(request.number, at: deadline) }
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
        while let number = deadlines.takeDue(at: now) {
            if let request = byNumber[number] { deadlinePassed(request) }
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
