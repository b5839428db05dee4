public import IPCDBus
internal import IPCInterface

/// A program on the session bus. It opens URLs, receives the URLs of its schemes, and uses pasteboards.
///
/// It stays connected when the broker or the bus restarts: calls take up to 5 s longer, schemes are registered again,
/// and sequences continue. To disconnect, release it or call ``close()``.
@DBusActor
public final class Application {
    /// The reverse-DNS id, such as `demo.IPCClient`. Every call of this application names it as the source.
    public nonisolated let id: ApplicationID
    /// Other applications' claims to the schemes passed to ``connect(id:schemes:window:allowReserved:resends:bus:)``.
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
        // If the bus is lost, close the connection. Otherwise, requests in progress, which can no longer be answered,
        // would keep it open.
        if !link.connection.isConnected { link.connection.close() }
    }

    /// Connects to the bus. If schemes are given, the application becomes their handler.
    ///
    /// With schemes, the application owns its id as a bus name while it is connected. From then on, requests arrive in
    /// ``openURLs``, and ``conflicts`` lists other claims to the schemes. Without schemes, it does not request the
    /// name: any number of processes can share the id, and handlers see it as ``IPCModel/SourceStrength/claimed``.
    ///
    ///   - id: the reverse-DNS id of the program.
    ///   - schemes: URL schemes without a colon (RFC 3986 §3.1), compared without regard to case.
    ///   - window: how many unanswered requests the broker may deliver at once; 1 keeps strict order.
    ///   - allowReserved: whether schemes such as `http` are accepted. Use it only on the user's explicit request.
    ///   - resends: whether each call that changes something gets an id, so that it can be repeated after a restart
    ///     without further effect. If it is false, a program that makes one call and exits is slightly faster.
    ///   - bus: the address of the bus.
    /// - Throws: `noBus` if there is no bus, `storeUnavailable` if there is no broker, `timedOut` if the bus does not
    ///   answer, `notOwner` if another process owns this id, `reservedScheme`, `limitExceeded`.
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

    /// The requests to open a URL, in the order of their delivery. They wait until a consumer takes them.
    ///
    /// The window limits how many requests are waiting: the broker sends the next one only after an answer. Through
    /// `org.freedesktop.Application.Open`, other programs can add up to 64 requests of unknown source. Each request
    /// goes to one consumer. The sequence ends after ``close()``. It throws `notOwner` if another process took the id
    /// while the bus was away. It throws `noBus` if a bus started this program (`DBUS_STARTER_ADDRESS`,
    /// `DBUS_STARTER_BUS_TYPE`) and has been away for 5 s; other programs wait until a bus is back.
    public nonisolated var openURLs: OpenURLRequests { OpenURLRequests(application: self) }

    /// Which callbacks of x-callback-url the application opens when a request is answered.
    public var callbackSchemes: CallbackSchemes { receiver.requests.callbacks.schemes }

    /// Sets ``callbackSchemes``. ``CallbackSchemes/all`` lets senders make this application open web pages and files.
    public func setCallbackSchemes(_ schemes: CallbackSchemes) { receiver.requests.callbacks.schemes = schemes }

    /// Sets a function to call for each failed callback of x-callback-url. It is initially `nil`.
    ///
    /// A callback fails if its scheme is reserved or has no handler, or if its handler does not handle it within 10 s.
    /// A failed callback to an answered ``call(_:callbackScheme:sending:on:options:)`` is not reported.
    public func onCallbackFailure(_ body: (@Sendable (CallbackFailure) -> Void)?) {
        receiver.requests.callbacks.failed = body
    }

    /// Sets a function to call when a launcher asks the application to show itself
    /// (`org.freedesktop.Application.Activate`), with the token that lets a window come to the front. It is initially
    /// `nil`. Only applications that receive URLs get this call.
    public func onActivate(_ body: (@Sendable (_ activationToken: String?) -> Void)?) { receiver.activated = body }

    /// Releases the schemes that this application was connected with or has registered, and ends ``openURLs``.
    ///
    /// Requests that no consumer has taken return to the broker, which delivers them to the scheme's next handler.
    /// Requests that a consumer has taken can still be answered. Stored claims and the bus name are kept. To receive
    /// again, call ``register(_:for:persistent:window:allowReserved:takesDescriptors:)``. If ``close()`` is called
    /// while this is running, this returns without an error, because closing the connection releases the claims.
    /// - Throws: the errors of the broker. The sequence ends in any case.
    public func stopReceiving() async throws(IPCError) { try await receiver.stop() }

    /// Sends pending messages and disconnects from the bus.
    ///
    /// First, the broker fetches the promised values, so that they outlive this program; this may take 10 s per value.
    /// Requests that no consumer has taken return to the broker. Requests that were taken but not answered end as
    /// `failed` if their sender waits; queued ones are redelivered. Callbacks in progress may take another 10 s.
    public func close() async {
        await promises.close()
        await receiver.end()
        queries.end()
        await link.close()
    }

    /// The broker's state as a JSON object (RFC 8259), for bug reports: numbers, names and paths, but no content.
    public func brokerDescription() async throws(IPCError) -> String {
        try await link.call(Broker1.describe, NoOptions(), repeatable: true)
    }

    /// Sets a function to call each time the bus is lost.
    package func onBusLost(_ body: @escaping @Sendable () -> Void) { receiver.absence?.began = body }
}
