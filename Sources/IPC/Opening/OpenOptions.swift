public import IPCDBus
internal import IPCInterface
internal import IPCModel

/// Properties of a request beside its URL and payload.
public struct OpenOptions: Sendable, Hashable {
    /// The handler to use in place of the scheme's own. It must run or be startable by the bus unless the request is
    /// queued.
    public var application: ApplicationID?
    /// The id of the request. Requests with the same id and arguments have one effect. If
    /// it is `nil`, an application that resends chooses a random one; see
    /// ``Application/connect(id:schemes:window:allowReserved:resends:bus:)``.
    public var id: RequestID?
    /// Whether ``Application/open(_:sending:on:options:)`` returns ``IPCModel/Outcome/queued`` as soon as the request
    /// is on disk. The request is delivered when its handler can be reached.
    public var isQueued = false
    /// The longest time until a queued request is delivered, at most 30 days; then it is `expired`. `nil` means 7 days.
    /// Only with ``isQueued``.
    public var requestTimeToLive: Duration?
    /// The longest wait for the outcome, from acceptance on, including the start of the handler; `nil` means 20 s. For
    /// a queued request: the handler's time for its answer, from each delivery on; `nil` means 10 min.
    public var timeout: Duration?
    /// The id of the request that is being handled while this one is made, so that the broker can stop handlers which
    /// open each other's URLs without end (`loopDetected`). Inside ``OpenURLRequest/handle(_:)`` it is set
    /// automatically.
    public var parent: RequestID?
    /// The token that lets the handler's window come to the front (Wayland, X11), from the program that has the focus.
    public var activationToken: String?
    /// One more value for the handler: any D-Bus type without descriptors, paths, signatures and variants, at most 16
    /// KiB.
    public var annotation: Value?
    /// With a pasteboard and without items: the version to send; `nil` means the current one.
    public var changeCount: UInt64?
    /// How the items are put on the pasteboard. With ``PasteboardOptions/isOnce``, the first reader of the pasteboard
    /// consumes them, and the handler of the URL has its own copy. ``PasteboardOptions/isSensitive`` is not for queued
    /// requests, which are stored on disk. A ``PasteboardOptions/id`` is rejected, because the request has one.
    public var pasteboard = PasteboardOptions()
    /// Whether the pasteboard is made if it does not exist.
    public var createsPasteboard = true
    /// Whether the pasteboard becomes persistent; `nil` does not change it.
    public var isPersistent: Bool?

    /// Makes the default options.
    public init() {}
}

extension OpenOptions {
    static let defaultTimeout = Duration.milliseconds(Limits().requestTimeoutMilliseconds)

    /// The sender's wait; `nil` if it does not wait.
    var wait: Duration? { isQueued ? nil : timeout ?? Self.defaultTimeout }

    func wire() throws(IPCError) -> OpenURLOptions {
        var wire = OpenURLOptions()
        wire.id = id?.text
        wire.application = application?.text
        wire.changeCount = changeCount
        wire.annotation = annotation
        wire.timeout = (wait ?? timeout)?.wireMilliseconds
        if isQueued { wire.queue = true }
        wire.timeToLive = requestTimeToLive?.wholeMilliseconds
        wire.parent = (parent ?? HandledRequest.id)?.text
        wire.activationToken = activationToken
        wire.set = try set()
        return wire
    }

    private func set() throws(IPCError) -> PayloadSetOptions? {
        guard pasteboard.id == nil else {
            throw IPCError(.invalidArguments, "the pasteboard of a request takes no id; give the request one")
        }
        guard pasteboard != PasteboardOptions() || !createsPasteboard || isPersistent != nil else { return nil }
        var set = PayloadSetOptions()
        set.ifChangeCount = pasteboard.ifChangeCount
        set.create = createsPasteboard ? nil : false
        set.persistent = isPersistent
        set.timeToLive = try pasteboard.milliseconds()
        if pasteboard.isSensitive { set.sensitive = true }
        if pasteboard.isOnce { set.once = true }
        return set
    }
}

extension OpenURLOptions {
    /// The options for a call that is sent again.
    /// - Parameter end: until when its sender waits; `nil` if it does not wait. A new broker would count from its own
    ///   acceptance.
    func again(until end: ContinuousClock.Instant?) -> OpenURLOptions {
        var again = self
        again.repeated = true
        again.timeLeft = end.map { ContinuousClock.now.duration(to: $0).wireMilliseconds }
        return again
    }
}
