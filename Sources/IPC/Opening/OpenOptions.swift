public import IPCDBus

/// What may be said beside the URL and the payload when a URL is opened.
public struct OpenOptions: Sendable, Hashable {
    /// The receiver, whatever the handler of the scheme is; it must run or be startable by the bus.
    public var application: String?
    /// The id of the request, 16 to 64 of `[A-Za-z0-9-]`. The same id with the same arguments has one effect. Where
    /// there is none, an application that resends chooses a random one; see
    /// ``Application/connect(id:schemes:window:allowReserved:resends:bus:)``.
    public var id: String?
    /// How long to wait for the outcome, from acceptance on; includes the start of the receiver.
    public var timeout: Duration = .seconds(20)
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
    /// Whether the items are a secret on the pasteboard; see ``PasteboardOptions/isSensitive``.
    public var isSensitive = false
    /// Whether the first who reads the items on the pasteboard consumes them; the receiver of the URL has its own.
    public var isOnce = false
    /// Whether the pasteboard is persistent from now on; `nil` leaves it as it is.
    public var persistent: Bool?

    /// The defaults.
    public init() {}

    /// Whether anything is said of how the pasteboard is set.
    var setsPasteboard: Bool {
        ifChangeCount != nil || !create || persistent != nil || timeToLive != nil || isSensitive || isOnce
    }

    /// What holds for setting any pasteboard.
    var pasteboard: PasteboardOptions { PasteboardOptions(timeToLive: timeToLive) }
}
