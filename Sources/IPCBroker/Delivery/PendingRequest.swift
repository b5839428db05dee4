internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCQueues
internal import IPCStore

/// An open request that has not ended, from the moment in which its handler is fixed.
@DBusActor
final class PendingRequest: @DBusActor Deadlined {
    let id: RequestID
    let application: ApplicationID
    let source: Source
    /// The account that it is charged to. A name that is only stated would let any program use up another one's share.
    let payer: Payer
    /// The sender; nil if it was a connection of an earlier broker that is not on this bus.
    let caller: BusName?
    let senderQueue: SenderQueueKey
    /// The desktop application that gets it, if no application has claimed its scheme.
    var desktop: DesktopHandler?
    /// The deliveries of its handler, from its acceptance on.
    var delivery: (any RequestDelivery)?
    /// Its state and the rules for the next one.
    var life: RequestLife
    /// Whether the store has a record of it: its sender gave it an id, or it is queued.
    let hasRecord: Bool
    /// Distinguishes a repeated call from a mistake; nil if the sender gave no id.
    let digest: ContentDigest?
    /// Bytes of the payload, and of the URL if it is in memory.
    private(set) var size: UInt64
    /// Bytes that it takes in memory while its sender waits.
    private(set) var memory: UInt64
    let parent: RequestID?
    let depth: UInt32
    /// The time for the handler's answer to a queued request, from its delivery on.
    let answerTime: Duration
    /// The end of a queued request that is not delivered, or of any other request.
    let expiry: ContinuousClock.Instant
    /// Milliseconds since 1970.
    let accepted: UInt64

    /// The content that is delivered. For a queued request it is on the disk, and here only during the delivery.
    var content: RequestContent?
    /// The change count of the pasteboard that came with it.
    var changeCount: UInt64?
    /// The connection that it was or will be sent to.
    var owner: BusName?
    /// Whether it was sent over a direct connection.
    var isOnDirectRoute = false
    /// Steps that are not on the disk.
    var trace: [TraceStep] = []
    /// The calls that wait for the end.
    private(set) var waiters = RequestWaiters()
    /// Their answer.
    var conclusion: Boxed<Result<RequestEnd, any Error>>?
    /// The calls that wait until a queued request is on the disk.
    private var acceptanceWaiters = RequestWaiters()
    /// Whether the payload may be kept with the record.
    var keepsPayload = true
    /// Its position in the order of arrival.
    var number: UInt64 = 0
    /// The accounts that it is charged to, while it is in the table.
    var loads: RequestTable.Loads?
    var deadlineIndex = -1
    /// The store's commit group that contains its acceptance.
    var group: CommitGroup?

    init(
        id: RequestID, application: ApplicationID, source: Source, payer: Payer, caller: BusName?,
        senderQueue: SenderQueueKey, life: RequestLife, hasRecord: Bool, digest: ContentDigest?, size: UInt64,
        parent: RequestID? = nil, depth: UInt32 = 0, answerTime: Duration, expiry: ContinuousClock.Instant,
        accepted: UInt64 = SystemClock.milliseconds(), memory: UInt64? = nil
    ) {
        (self.id, self.application, self.source, self.payer) = (id, application, source, payer)
        (self.caller, self.senderQueue) = (caller, senderQueue)
        (self.life, self.hasRecord, self.digest, self.size) = (life, hasRecord, digest, size)
        self.memory = memory ?? size
        (self.parent, self.depth, self.answerTime) = (parent, depth, answerTime)
        (self.expiry, self.accepted) = (expiry, accepted)
    }

    var isQueued: Bool { life.isQueued }

    /// Notes a step, which is written with the next change of the record. The count is limited, because a handler that
    /// cannot be started for a week must not fill the memory.
    func note(_ kind: TraceStep.Kind, who: String = "", size: UInt64 = 0, detail: String = "") {
        let step = TraceStep(
            kind, at: SystemClock.milliseconds(), attempt: life.attempts, who: who, size: size, detail: detail)
        if trace.isEmpty { trace.reserveCapacity(Self.usualSteps) }
        if trace.count >= Self.mostSteps { trace.removeLast() }
        trace.append(step)
    }

    private static let mostSteps = 32
    /// Accepted, delivered, answered, ended.
    private static let usualSteps = 4

    func takeTrace() -> [TraceStep] {
        defer { trace = [] }
        return trace
    }

    /// Changes the size; only for ``RequestTable/recharge(_:size:memory:)``.
    func setSize(_ size: UInt64, memory: UInt64) { (self.size, self.memory) = (size, memory) }

    /// Adds a call that waits for the end.
    func add(_ waiter: RequestWaiter) {
        waiter.request = self
        waiters.insert(waiter)
    }

    /// Adds a call that waits until the request is on the disk.
    func addToAcceptance(_ waiter: RequestWaiter) {
        waiter.request = self
        acceptanceWaiters.insert(waiter)
    }

    func remove(_ waiter: RequestWaiter) {
        waiters.remove(waiter)
        acceptanceWaiters.remove(waiter)
    }

    func takeWaiters() -> [RequestWaiter] { waiters.takeAll() }

    func takeAcceptanceWaiters() -> [RequestWaiter] { acceptanceWaiters.takeAll() }

    /// Answers the calls that wait until a queued request is on the disk, and delivers the request.
    @discardableResult
    func stored() -> OpenURLResult {
        let result = OpenURLResult(queued: self)
        Slices.forEach(takeAcceptanceWaiters()) { $0.end(with: .success(result)) }
        handle(.stored)
        return result
    }

    /// The deadline of its current state; nil if it has none.
    var deadline: ContinuousClock.Instant? {
        switch life.deadline {
        case .expiry: expiry
        case .answer: answerBy
        case nil: nil
        }
    }

    /// The latest time of the handler's answer.
    var answerBy: ContinuousClock.Instant?
}

/// A large value that few of a hundred thousand requests have at a time.
final class Boxed<Content: Sendable>: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
}

/// The content of a delivery.
final class RequestContent: Sendable {
    let url: String
    let items: [PasteboardItem]?
    let pasteboard: PasteboardName?
    let changeCount: UInt64?
    let kept: KeptContext

    init(
        url: String, items: [PasteboardItem]?, pasteboard: PasteboardName?, changeCount: UInt64?, kept: KeptContext
    ) {
        (self.url, self.items, self.pasteboard) = (url, items, pasteboard)
        (self.changeCount, self.kept) = (changeCount, kept)
    }
}

/// The context of a request, as it is kept with the record.
struct KeptContext: Facts {
    var annotation: Value?
    var activationToken: String?
    /// The desktop application that gets the request, and its bus name if it has one.
    var desktopEntry: String?
    var desktopService: String?
    static let keys: [Key<Self>] = [
        Key("annotation", \.annotation, limit: "annotation-bytes"), Key("activation-token", \.activationToken),
        Key("desktop-entry", \.desktopEntry), Key("desktop-service", \.desktopService),
    ]
}
