internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// An open request that has not ended, from the moment in which its receiver is fixed.
@DBusActor
final class PendingRequest: @DBusActor Deadlined {
    let id: RequestID
    let application: ApplicationID
    let source: Source
    /// On whose account it is. A name that is only stated would let any program use up another one's share.
    let payer: Payer
    /// Who sent it; nil where that was another connection of an earlier broker.
    let caller: BusName?
    let senderQueue: SenderQueueKey
    /// The desktop application that gets it, if no application has claimed its scheme.
    var desktop: DesktopHandler?
    /// The deliveries of its receiver, from its acceptance on.
    var delivery: (any RequestDelivery)?
    /// Where it stands on its way, and what comes next.
    var life: RequestLife
    /// Whether the store has a record of it: its sender gave it an id, or it is queued.
    let hasRecord: Bool
    /// Tells a repeated call from a mistake; nil where the sender gave no id.
    let digest: ContentDigest?
    /// Bytes of the payload, and of the URL where that is in memory.
    private(set) var size: UInt64
    /// Bytes that it takes in memory while its sender waits.
    private(set) var memory: UInt64
    let parent: RequestID?
    let depth: UInt32
    /// How long the handler has for its answer, where that counts from the delivery.
    let answerTime: Duration
    /// When it ends undelivered; of a request whose sender waits, when it ends.
    let expiry: ContinuousClock.Instant
    /// Milliseconds since 1970.
    let accepted: UInt64

    /// What is delivered; of a queued request it is on the disk, and here only on its way.
    var content: RequestContent?
    /// The change count of the pasteboard that came with it.
    var changeCount: UInt64?
    /// The connection that it was sent to, or is to be sent to.
    var owner: BusName?
    /// Whether it was sent over a direct connection.
    var isOnDirectRoute = false
    /// Steps that are not on the disk.
    var trace: [TraceStep] = []
    /// Who waits for the end.
    private(set) var waiters = RequestWaiters()
    /// What they were told.
    var conclusion: Boxed<Result<RequestEnd, any Error>>?
    /// Those that wait until a queued request is on the disk.
    private var acceptanceWaiters = RequestWaiters()
    /// Whether the payload may be kept with the record.
    var keepsPayload = true
    /// The order in which they came.
    var number: UInt64 = 0
    /// On which accounts it is, while it is in the table.
    var loads: RequestTable.Loads?
    var deadlineIndex = -1
    /// The group of the store with which its beginning reaches the disk.
    var group: CommitGroup?

    init(
        id: RequestID, application: ApplicationID, source: Source, payer: Payer, caller: BusName?,
        senderQueue: SenderQueueKey,
        life: RequestLife, hasRecord: Bool, digest: ContentDigest?, size: UInt64, parent: RequestID?, depth: UInt32,
        answerTime: Duration, expiry: ContinuousClock.Instant, accepted: UInt64, memory: UInt64? = nil
    ) {
        (self.id, self.application, self.source, self.payer) = (id, application, source, payer)
        (self.caller, self.senderQueue) = (caller, senderQueue)
        (self.life, self.hasRecord, self.digest, self.size) = (life, hasRecord, digest, size)
        self.memory = memory ?? size
        (self.parent, self.depth, self.answerTime) = (parent, depth, answerTime)
        (self.expiry, self.accepted) = (expiry, accepted)
    }

    var isQueued: Bool { life.isQueued }

    /// Notes a step, to be written with the next change of the record; a handler that cannot be started for a week does
    /// not fill the memory.
    func note(_ kind: TraceStep.Kind, who: String = "", size: UInt64 = 0, detail: String = "") {
        let step = TraceStep(
            kind, at: SystemClock.milliseconds(), attempt: life.attempts, who: who, size: size, detail: detail)
        if trace.isEmpty { trace.reserveCapacity(Self.usualSteps) }
        if trace.count >= Self.mostSteps { trace.removeLast() }
        trace.append(step)
    }

    private static let mostSteps = 32
    /// Of one that goes its way: accepted, delivered, answered, ended.
    private static let usualSteps = 4

    /// The steps that are to be written now.
    func takeTrace() -> [TraceStep] {
        defer { trace = [] }
        return trace
    }

    /// The payload turned out to be larger; see ``RequestTable/recharge(_:size:)``.
    func setSize(_ size: UInt64, memory: UInt64) { (self.size, self.memory) = (size, memory) }

    /// Has a waiter wait for the end.
    func add(_ waiter: RequestWaiter) {
        waiter.request = self
        waiters.insert(waiter)
    }

    /// Has a waiter wait until the request is on the disk.
    func addToAcceptance(_ waiter: RequestWaiter) {
        waiter.request = self
        acceptanceWaiters.insert(waiter)
    }

    /// Removes a waiter that waits no more.
    func remove(_ waiter: RequestWaiter) {
        waiters.remove(waiter)
        acceptanceWaiters.remove(waiter)
    }

    func takeWaiters() -> [RequestWaiter] { waiters.takeAll() }

    func takeAcceptanceWaiters() -> [RequestWaiter] { acceptanceWaiters.takeAll() }

    /// When something is to be done about it in the state in which it is; nil for nothing.
    var deadline: ContinuousClock.Instant? {
        switch life.deadline {
        case .expiry: expiry
        case .answer: answerBy
        case nil: nil
        }
    }

    /// When the handler's answer comes too late.
    var answerBy: ContinuousClock.Instant?
}

/// Something large that few requests have at a time: there may be a hundred thousand of them.
final class Boxed<Content: Sendable>: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
}

/// What a handler is given.
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

/// What else a request carries, as it is kept with the record.
struct KeptContext: Facts {
    var annotation: Value?
    var activationToken: String?
    /// The program of the desktop to which it goes, and its bus name where it has one.
    var desktopEntry: String?
    var desktopService: String?
    static let keys: [Key<Self>] = [
        Key("annotation", \.annotation, limit: "annotation-bytes"), Key("activation-token", \.activationToken),
        Key("desktop-entry", \.desktopEntry), Key("desktop-service", \.desktopService),
    ]
}
