internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCQueues
internal import IPCStore

/// An `OpenURL` request that has not ended. It exists from the moment its handler is chosen.
@DBusActor
final class PendingRequest: @DBusActor Deadlined {
    let id: RequestID
    let application: ApplicationID
    let source: Source
    /// The account that is charged. An unproven source has no account of its own, because any program could name that
    /// source and use up the account.
    let payer: Payer
    /// The sender; `nil` if an earlier broker accepted the request and its sender is not on this bus.
    let caller: BusName?
    let senderQueue: SenderQueueKey
    /// The desktop application that gets the request; `nil` if a registered handler gets it.
    var desktop: DesktopHandler?
    /// The object that delivers the request; set when the request is enqueued.
    var delivery: (any RequestDelivery)?
    var life: RequestLife
    /// Whether the store has a record of the request, because its sender gave an id or because it is queued.
    let hasRecord: Bool
    /// The digest of the arguments, to recognize a repeated call with the same id; `nil` if the sender gave no id.
    let digest: ContentDigest?
    /// The size of the URL and the payload, in bytes.
    private(set) var size: UInt64
    /// The memory that the request takes while its sender is waiting, in bytes.
    private(set) var memory: UInt64
    let parent: RequestID?
    let depth: UInt32
    /// How long the handler may take to answer a queued request, counted from the delivery.
    let answerTime: Duration
    /// When the request expires. A queued request no longer expires once it has been delivered.
    let expiry: ContinuousClock.Instant
    /// The time of acceptance, in milliseconds since 1970.
    let accepted: UInt64

    /// The content to deliver; `nil` for a queued request, whose content is on disk, unless it is being delivered.
    var content: RequestContent?
    /// The change count of the pasteboard version that the request carries; `nil` if it carries none.
    var changeCount: UInt64?
    /// The handler's connection that the request was or will be sent to; `nil` before the first delivery.
    var owner: BusName?
    /// Whether the request was sent over a direct connection.
    var isOnDirectRoute = false
    /// The steps of the request's trace that are not on disk yet.
    var trace: [TraceStep] = []
    /// The calls that are waiting for the request to end.
    private(set) var waiters = RequestWaiters()
    /// The result for ``waiters``; `nil` until the request has ended.
    var conclusion: Boxed<Result<RequestEnd, any Error>>?
    /// The calls that are waiting for a queued request to be on disk.
    private var acceptanceWaiters = RequestWaiters()
    /// Whether the request's record may contain the payload.
    var keepsPayload = true
    /// The position of the request in the order of arrival.
    var number: UInt64 = 0
    /// The accounts that are charged for the request; `nil` if it is not in the table.
    var loads: RequestTable.Loads?
    var deadlineIndex = -1
    /// The commit group with the request's acceptance, if any. If its writes are lost, the request's end is not stored.
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

    /// Notes a step, to be written with the next change of the record. The number of steps is limited, so that a
    /// handler that cannot be started for a week does not fill up the memory.
    func note(_ kind: TraceStep.Kind, who: String = "", size: UInt64 = 0, detail: String = "") {
        let step = TraceStep(
            kind, at: SystemClock.milliseconds(), attempt: life.attempts, who: who, size: size, detail: detail)
        if trace.isEmpty { trace.reserveCapacity(Self.usualSteps) }
        if trace.count >= Self.mostSteps { trace.removeLast() }
        trace.append(step)
    }

    private static let mostSteps = 32
    /// The usual number of steps: accepted, delivered, answered, ended.
    private static let usualSteps = 4

    func takeTrace() -> [TraceStep] {
        defer { trace = [] }
        return trace
    }

    /// Changes the size. Only ``RequestTable/recharge(_:size:memory:)`` may call this.
    func setSize(_ size: UInt64, memory: UInt64) { (self.size, self.memory) = (size, memory) }

    /// Adds a call that waits for the end of the request.
    func add(_ waiter: RequestWaiter) {
        waiter.request = self
        waiters.insert(waiter)
    }

    /// Adds a call that waits until the request is on disk.
    func addToAcceptance(_ waiter: RequestWaiter) {
        waiter.request = self
        acceptanceWaiters.insert(waiter)
    }

    func remove(_ waiter: RequestWaiter) {
        waiters.remove(waiter)
        acceptanceWaiters.remove(waiter)
    }

    func takeWaiters() -> [RequestWaiter] { waiters.takeAll() }

    func takeCancellers() -> [RequestWaiter] { waiters.takeCancellers() }

    func takeAcceptanceWaiters() -> [RequestWaiter] { acceptanceWaiters.takeAll() }

    /// Answers the calls in ``acceptanceWaiters``, and makes the request ready for delivery.
    @discardableResult
    func stored() -> OpenURLResult {
        let result = OpenURLResult(queued: self)
        Slices.forEach(takeAcceptanceWaiters()) { $0.end(with: .success(result)) }
        handle(.stored)
        return result
    }

    /// The deadline that applies in the current state of the request; `nil` if none does.
    var deadline: ContinuousClock.Instant? {
        switch life.deadline {
        case .expiry: expiry
        case .answer: answerBy
        case nil: nil
        }
    }

    /// The deadline for the handler's answer; `nil` before the first delivery.
    var answerBy: ContinuousClock.Instant?
}

/// Boxes a large value, to keep requests small: of 100,000 requests, only a few have the value at a time.
final class Boxed<Content: Sendable>: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
}

/// The URL, the payload and the context that a handler receives.
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

/// The part of a request's context that is stored with its record.
struct KeptContext: Facts {
    var annotation: Value?
    var activationToken: String?
    /// The desktop file ID and the bus name of the desktop application that gets the request; `nil` if there is none.
    var desktopEntry: String?
    var desktopService: String?
    static let keys: [Key<Self>] = [
        Key("annotation", \.annotation, limit: "annotation-bytes"), Key("activation-token", \.activationToken),
        Key("desktop-entry", \.desktopEntry), Key("desktop-service", \.desktopService),
    ]
}
