public import IPCDBus
internal import IPCInterface

/// A program on the session bus: it opens URLs, receives the URLs of its schemes, and uses pasteboards.
///
/// It stays connected when the broker or the bus restarts: calls take up to 5 s longer, schemes are registered again,
/// and sequences continue. To leave, release it or call ``close()``.
@DBusActor
public final class Application {
    /// The reverse-DNS id, such as `demo.IPCClient`, which every call of this application states as its source.
    public nonisolated let id: ApplicationID
    /// Other applications' claims to the schemes of ``connect(id:schemes:window:allowReserved:resends:bus:)``.
    public private(set) var conflicts: [Handler] = []

    nonisolated let link: BrokerLink
    nonisolated let opener: URLOpener
    nonisolated let receiver: Receiver
    nonisolated let claims: SchemeClaims
    nonisolated let queries: RequestQueries
    nonisolated let boards: PasteboardDirectory
    nonisolated let promises: PromiseKeeper
    package nonisolated let desktop: DesktopClaims
    package nonisolated let bus: BusServices

    init(id: ApplicationID, link: BrokerLink) {
        (self.id, self.link) = (id, link)
        (claims, queries, bus) = (SchemeClaims(link), RequestQueries(link), BusServices(link))
        boards = PasteboardDirectory(link, source: id.text)
        opener = URLOpener(link, claims, queries, source: id.text)
        receiver = Receiver(id, link, claims)
        promises = PromiseKeeper(link)
        desktop = DesktopClaims(link, bus)
    }

    isolated deinit {
        // Requests that are being answered keep the connection. A lost bus is not worth a wait.
        if !link.connection.isConnected { link.connection.close() }
    }

    /// Connects to the bus and, with schemes, becomes their handler.
    ///
    /// With schemes, the application owns its id as a bus name while it is connected. Requests wait in ``openURLs``
    /// from then on, and ``conflicts`` lists other claims to the schemes. Without schemes, it does not request the
    /// name: any number of processes can share the id, and handlers see it as ``IPCModel/SourceStrength/claimed``.
    ///
    /// - Parameters:
    ///   - id: the reverse-DNS id of the program.
    ///   - schemes: URL schemes without a colon (RFC 3986 §3.1), compared without case.
    ///   - window: the most unanswered requests that the broker delivers at a time; 1 keeps strict order.
    ///   - allowReserved: accepts schemes such as `http` too; only for an explicit act of the user.
    ///   - resends: gives each change an id, so that it can be sent again after a restart and happens once. Without it,
    ///     a program that makes one call and ends is slightly faster.
    ///   - bus: the address of the bus.
    /// - Throws: `storeUnavailable` without a bus or broker, `timedOut` if the bus does not answer, `notOwner` if
    ///   another process owns this id, `reservedScheme`, `limitExceeded`.
    public static func connect(
        id: ApplicationID, schemes: [URLScheme] = [], window: UInt32 = 1, allowReserved: Bool = false,
        resends: Bool = true,
        bus: BusAddress = .session
    ) async throws(IPCError) -> Application {
        let application = Application(id: id, link: try await .open(bus, resends: resends))
        if !schemes.isEmpty {
            let options = RegisterOptions(
                window: window, allowReserved: allowReserved, fd: application.link.takesDescriptors)
            application.conflicts = try await application.receiver.receive(schemes, options)
        }
        return application
    }

    /// The requests to open a URL, in the order of their delivery. Requests wait until a consumer takes them.
    ///
    /// At most as many wait as the window allows, because the broker sends the next one after an answer. Another 64 may
    /// come from other programs by `org.freedesktop.Application.Open`; their source is unknown. Each request goes to
    /// one consumer. The sequence ends with ``close()``. It throws `notOwner` if another process took the id while the
    /// bus was away. It throws `storeUnavailable` if the bus that started this program (`DBUS_STARTER_ADDRESS`,
    /// `DBUS_STARTER_BUS_TYPE`) has been away for 5 s; other programs wait for the next bus.
    public nonisolated var openURLs: OpenURLRequests { OpenURLRequests(application: self) }

    /// Which callbacks of x-callback-url are opened when a request is answered.
    public var callbackSchemes: CallbackSchemes { receiver.requests.callbacks.schemes }

    /// Sets ``callbackSchemes``. With ``CallbackSchemes/all``, any sender can make this application open web pages and
    /// files.
    public func setCallbackSchemes(_ schemes: CallbackSchemes) { receiver.requests.callbacks.schemes = schemes }

    /// Sets the function that is called for each failed callback of x-callback-url; initially `nil`.
    ///
    /// A callback fails if its scheme is reserved or has no handler, or if its handler does not handle it within 10 s.
    /// A callback to a ``call(_:callbackScheme:sending:on:options:)`` that already has its answer does not count.
    public func onCallbackFailure(_ body: (@Sendable (CallbackFailure) -> Void)?) {
        receiver.requests.callbacks.failed = body
    }

    /// Sets the function that is called when a launcher asks the application to show itself
    /// (`org.freedesktop.Application.Activate`), with the token that lets a window come to the front; initially `nil`.
    /// Only applications that receive get this call.
    public func onActivate(_ body: (@Sendable (_ activationToken: String?) -> Void)?) { receiver.activated = body }

    /// Releases the schemes that this application was connected with or has registered, and ends ``openURLs``.
    ///
    /// Requests that no consumer has taken return to the broker, which delivers them to the next handler of the scheme.
    /// Requests that a consumer has taken can still be answered. Stored claims and the bus name stay.
    /// ``register(_:for:persistent:window:allowReserved:takesDescriptors:)`` starts receiving again. If ``close()``
    /// runs meanwhile, this returns, because the claims end with the connection.
    /// - Throws: what the broker reports; the sequence has ended all the same.
    public func stopReceiving() async throws(IPCError) { try await receiver.stop() }

    /// Sends what is pending, and leaves the bus.
    ///
    /// First, the broker fetches the promised values, so that they outlive this program; each can take 10 s. Requests
    /// that no consumer has taken return to the broker. Taken requests without an answer become `failed` if their
    /// sender waits, and are delivered again if they are queued. Callbacks under way may take another 10 s.
    public func close() async {
        await promises.close()
        await receiver.end()
        queries.end()
        await link.close()
    }

    /// The state of the broker as one JSON object (RFC 8259), for people and bug reports: numbers, names and paths, but
    /// no content.
    public func brokerDescription() async throws(IPCError) -> String {
        try await link.call(Broker1.describe, NoOptions(), repeatable: true)
    }

    /// Sets a function that is called each time that the bus is lost.
    package func onBusLost(_ body: @escaping @Sendable () -> Void) { receiver.absence?.began = body }
}
