public import IPCDBus
internal import IPCInterface
internal import IPCModel

/// The properties of a request other than its URL and payload.
public struct OpenOptions: Sendable, Hashable {
    /// The handler to use instead of the scheme's own. Unless the request is queued, this handler must be running, or
    /// the bus must be able to start it.
    public var application: ApplicationID?
    /// The id of the request. Repeating a request with the same id and arguments has no further effect. If it is `nil`,
    /// the library picks a random id, unless the application was connected without `resends`; see
    /// ``Application/connect(id:schemes:window:allowReserved:resends:bus:)``.
    public var id: RequestID?
    /// Whether ``Application/open(_:sending:on:options:)`` returns ``IPCModel/Outcome/queued`` as soon as the request
    /// is on disk. The request is delivered once its handler can be reached.
    public var isQueued = false
    /// How long a queued request may wait for delivery before it is `expired`, at most 30 days; `nil` means 7 days.
    /// Only valid with ``isQueued``.
    public var requestTimeToLive: Duration?
    /// How long to wait for the outcome after acceptance, including the start of the handler; `nil` means 20 s. For a
    /// queued request, how long the handler may take to answer after each delivery; `nil` means 10 min.
    public var timeout: Duration?
    /// The id of the request that is being handled while this one is made, so that the broker can stop endless loops of
    /// handlers (`loopDetected`). ``OpenURLRequest/handle(_:)`` sets it automatically.
    public var parent: RequestID?
    /// An activation token from the program that has the focus; it lets the handler raise its window (Wayland, X11).
    public var activationToken: String?
    /// An additional value for the handler, at most 16 KiB: any D-Bus type without descriptors, paths, signatures and
    /// variants.
    public var annotation: Value?
    /// The version to send if a pasteboard is given without items; `nil` means the current version.
    public var changeCount: UInt64?
    /// How the items are put on the pasteboard. With ``PasteboardOptions/isOnce``, the first reader of the pasteboard
    /// consumes them; the handler of the URL has its own copy. ``PasteboardOptions/isSensitive`` is not allowed for
    /// queued requests, which are stored on disk. ``PasteboardOptions/id`` must be `nil`: the request has its own id.
    public var pasteboard = PasteboardOptions()
    /// Whether to create the pasteboard if it does not exist.
    public var createsPasteboard = true
    /// Whether the pasteboard becomes persistent; `nil` leaves it unchanged.
    public var isPersistent: Bool?

    /// Creates the default options.
    public init() {}
}

extension OpenOptions {
    static let defaultTimeout = Duration.milliseconds(Limits().requestTimeoutMilliseconds)

    /// How long the sender waits; `nil` if it does not wait.
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
            throw IPCError(
                .invalidArguments, "the pasteboard of a request cannot have an id; set the request's id instead")
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
    /// Returns the options for a call that is sent again.
    /// - Parameter end: when the sender stops waiting; `nil` if it does not wait. The call states the time left;
    ///   otherwise, a new broker would allow the full time-out again.
    func again(until end: ContinuousClock.Instant?) -> OpenURLOptions {
        var again = self
        again.repeated = true
        again.timeLeft = end.map { ContinuousClock.now.duration(to: $0).wireMilliseconds }
        return again
    }
}
