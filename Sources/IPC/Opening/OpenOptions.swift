public import IPCDBus
internal import IPCInterface
internal import IPCModel

/// What may be said beside the URL and the payload when a URL is opened.
public struct OpenOptions: Sendable, Hashable {
    /// The receiver, whatever the handler of the scheme is; it must run or be startable by the bus, unless the request is
    /// queued.
    public var application: String?
    /// The id of the request, 16 to 64 of `[A-Za-z0-9-]`. The same id with the same arguments has one effect. Where
    /// there is none, an application that resends chooses a random one; see
    /// ``Application/connect(id:schemes:window:allowReserved:resends:bus:)``.
    public var id: String?
    /// Do not wait for the outcome: the request is on the disk when ``Application/open(_:sending:on:options:)`` returns,
    /// with ``IPCModel/Outcome/queued``, and is delivered when its receiver is there.
    public var isQueued = false
    /// How long a queued request may wait until it is delivered, at most 30 days; then it is `expired`. `nil` means the
    /// broker's 7 days. Only with ``isQueued``.
    public var requestTimeToLive: Duration?
    /// How long to wait for the outcome, from acceptance on; includes the start of the receiver. `nil` means 20 s. Of a
    /// queued request: how long the receiver has for its answer, from each delivery on; `nil` means the broker's 10 min.
    public var timeout: Duration?
    /// The id of the request that is being handled while this one is made, so that handlers which open each other's URLs
    /// without end are cut off (`loopDetected`). Within ``OpenURLRequest/handle(_:)`` it is set by itself.
    public var parent: String?
    /// The token by which the receiver's window may come to the front (Wayland, X11), from whoever has the focus.
    public var activationToken: String?
    /// One more value for the receiver: any D-Bus type without descriptors, paths, signatures and variants in it, at
    /// most 16 KiB.
    public var annotation: Value?
    /// With a pasteboard and without items: the version to send; the current one otherwise.
    public var changeCount: UInt64?
    /// Set the pasteboard only if it has this change count.
    public var ifChangeCount: UInt64?
    /// Make the pasteboard if there is none.
    public var create = true
    /// How long the items can be read on the pasteboard; see ``PasteboardOptions/timeToLive``.
    public var timeToLive: Duration?
    /// Whether the items are a secret on the pasteboard; see ``PasteboardOptions/isSensitive``. Not for queued requests,
    /// which are kept on the disk.
    public var isSensitive = false
    /// Whether the first who reads the items on the pasteboard consumes them; the receiver of the URL has its own.
    public var isOnce = false
    /// Whether the pasteboard is persistent from now on; `nil` leaves it as it is.
    public var persistent: Bool?

    /// The defaults.
    public init() {}
}

extension OpenOptions {
    /// How long a sender waits that states nothing.
    static let defaultTimeout = Duration.milliseconds(Limits().requestTimeoutMilliseconds)

    /// How long the sender waits; `nil` where it does not.
    var wait: Duration? { isQueued ? nil : timeout ?? Self.defaultTimeout }

    /// The options as they travel, without the payload.
    func wire() throws(IPCError) -> OpenURLOptions {
        var wire = OpenURLOptions()
        wire.id = id
        wire.application = application
        wire.changeCount = changeCount
        wire.annotation = annotation
        wire.timeout = (wait ?? timeout)?.wireMilliseconds
        if isQueued { wire.queue = true }
        wire.timeToLive = requestTimeToLive?.wholeMilliseconds
        wire.parent = parent ?? HandledRequest.id
        wire.activationToken = activationToken
        wire.set = try set()
        return wire
    }

    /// How the pasteboard is set; `nil` where nothing is said of it.
    private func set() throws(IPCError) -> PayloadSetOptions? {
        guard ifChangeCount != nil || !create || persistent != nil || timeToLive != nil || isSensitive || isOnce else {
            return nil
        }
        var set = PayloadSetOptions()
        set.ifChangeCount = ifChangeCount
        set.create = create ? nil : false
        set.persistent = persistent
        set.timeToLive = try PasteboardOptions(timeToLive: timeToLive).milliseconds()
        if isSensitive { set.sensitive = true }
        if isOnce { set.once = true }
        return set
    }
}

extension OpenURLOptions {
    /// The same, for a call that is sent again.
    /// - Parameter end: when its sender stops to wait; `nil` where it does not wait. A broker that was started since counts
    ///   from its own acceptance.
    func again(until end: ContinuousClock.Instant?) -> OpenURLOptions {
        var again = self
        again.repeated = true
        again.timeLeft = end.map { ContinuousClock.now.duration(to: $0).wireMilliseconds }
        return again
    }
}
