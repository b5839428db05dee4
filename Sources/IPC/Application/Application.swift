public import IPCDBus
internal import IPCInterface

/// A program on the session bus: it opens URLs, receives them if it handles a scheme, and uses pasteboards.
///
/// It stays connected over restarts of the broker and of the bus: calls then take up to 5 s longer, schemes are
/// registered again, and sequences go on where they were. Let it go, or call ``close()``, to leave.
@DBusActor
public final class Application {
    /// The reverse-DNS id, such as `demo.IPCClient`: stated as the source of everything that this application does.
    public nonisolated let id: String
    /// The claims of others to the schemes that this application was connected with; see
    /// ``register(_:for:persistent:window:allowReserved:takesDescriptors:)``.
    public private(set) var conflicts: [Handler] = []

    nonisolated let link: BrokerLink
    nonisolated let opener: URLOpener
    nonisolated let receiver: Receiver
    nonisolated let claims: SchemeClaims
    nonisolated let records: RequestRecords
    nonisolated let boards: PasteboardDirectory
    nonisolated let promises: PromiseKeeper
    package nonisolated let desktop: DesktopClaims
    package nonisolated let bus: BusServices

    init(id: ApplicationID, link: BrokerLink) {
        (self.id, self.link) = (id.text, link)
        (claims, records, bus) = (SchemeClaims(link), RequestRecords(link), BusServices(link))
        boards = PasteboardDirectory(link, source: id.text)
        opener = URLOpener(link, claims, records, source: id.text)
        receiver = Receiver(id, link, claims)
        promises = PromiseKeeper(link)
        desktop = DesktopClaims(link, bus)
    }

    isolated deinit {
        // Requests that are still being answered keep the connection, but a lost bus is not worth waiting for.
        if !link.connection.isConnected { link.connection.close() }
    }

    /// Connects to the bus and, with schemes, becomes their handler.
    ///
    /// With schemes the application owns its id as a bus name for as long as it is connected; requests that come from
    /// then on wait in ``openURLs``. Whether others claim the same schemes is told by ``conflicts``. Without them it does
    /// not ask for the name, so any number of processes can connect with the same id, and their receivers see it as
    /// ``IPCModel/SourceStrength/claimed``.
    ///
    /// - Parameters:
    ///   - id: at least two elements of `[A-Za-z0-9_-]` with dots between, none with a digit in front.
    ///   - schemes: URL schemes without a colon (RFC 3986 §3.1), compared without case.
    ///   - window: how many requests may be on their way here at a time, unanswered; 1 keeps strict order.
    ///   - allowReserved: accept schemes such as `http` too; only for an explicit act of the user.
    ///   - resends: whether a change that was cut off by a restart is sent again, with an id that makes it one change.
    ///     A program that makes one call and ends may do without, which is a little cheaper.
    ///   - bus: where the bus is.
    /// - Throws: `storeUnavailable` without a bus or broker, `timedOut` if the bus does not answer, `notOwner` when another
    ///   process handles this id, `invalidName`, `reservedScheme`, `limitExceeded`.
    public static func connect(
        id: String, schemes: [String] = [], window: UInt32 = 1, allowReserved: Bool = false, resends: Bool = true,
        bus: BusAddress = .session
    ) async throws(IPCError) -> Application {
        let (id, schemes) = (try ApplicationID(checking: id), try [URLScheme](checking: schemes))
        let application = Application(id: id, link: try await .open(bus, resends: resends))
        if !schemes.isEmpty {
            let options = RegisterOptions(
                window: window, allowReserved: allowReserved, fd: application.link.takesDescriptors)
            application.conflicts = try await application.receiver.receive(schemes, options)
        }
        return application
    }

    /// The requests to open a URL, in the order of their delivery; those that came before the first question wait.
    ///
    /// At most as many wait as the window allows, for the broker sends the next one only after an answer; and at most 64
    /// more that came round the broker, by `org.freedesktop.Application.Open`: their source is unknown. Several
    /// consumers share the requests: each one goes to exactly one of them. The sequence ends with ``close()``, and
    /// throws when the application cannot be a handler any more, such as `notOwner` when another process has taken the
    /// id while the bus was away, or `storeUnavailable` when the bus that has started this program
    /// (`DBUS_STARTER_ADDRESS`, `DBUS_STARTER_BUS_TYPE`) has been away for 60 s. Other programs wait for the next bus.
    public nonisolated var openURLs: OpenURLRequests { OpenURLRequests(self) }

    /// Which callbacks of x-callback-url are opened when a request is answered; see ``CallbackSchemes``.
    public var callbackSchemes: CallbackSchemes { receiver.deliveries.callbacks.schemes }

    /// Sets ``callbackSchemes``; ``CallbackSchemes/all`` only for an application that is to open web pages and files for
    /// whoever asks.
    public func setCallbackSchemes(_ schemes: CallbackSchemes) { receiver.deliveries.callbacks.schemes = schemes }

    /// Is told of each callback of x-callback-url that was not opened, for its scheme is reserved or nobody takes it, and
    /// of each that its receiver has not handled within 10 s; `nil` (as at first) tells nobody. Callbacks to a
    /// ``call(_:callbackScheme:sending:on:options:)`` that has its answer already are no failures.
    public func onCallbackFailure(_ body: (@Sendable (CallbackFailure) -> Void)?) {
        receiver.deliveries.callbacks.failed = body
    }

    /// Is told when a launcher wants the application to show itself (`org.freedesktop.Application.Activate`), with the token
    /// by which a window may come to the front; `nil` (as at first) tells nobody. It is called by applications that receive.
    public func onActivate(_ body: (@Sendable (_ activationToken: String?) -> Void)?) { receiver.activated = body }

    /// Gives up the schemes that this application was connected with or has registered, and goes on with all else.
    ///
    /// ``openURLs`` ends, and requests that no consumer has taken go back to the broker, which delivers them to whoever
    /// handles the scheme then, or later. Those in hand are answered as ever. Stored claims stay, and so does the bus
    /// name. ``register(_:for:persistent:window:allowReserved:takesDescriptors:)`` begins anew. Where ``close()`` comes in
    /// between, this returns: the claims end with the connection.
    public func stopReceiving() async throws(IPCError) { try await receiver.stop() }

    /// Leaves the bus, after what was sent is out. What is promised is fetched first, so that it outlives this program;
    /// that can take 10 s for each value. Requests that no consumer has taken go back to the broker; of those in hand
    /// that have no answer yet, the ones whose sender waits become `failed`, and queued ones come again. Callbacks that
    /// are on their way have until their end, which can take 10 s.
    public func close() async {
        await promises.close()
        await receiver.end()
        records.end()
        await link.close()
    }

    /// The state of the broker as one JSON object (RFC 8259), for people and bug reports: numbers, names and paths,
    /// never content.
    public func brokerDescription() async throws(IPCError) -> String {
        try await link.call(Broker1.describe, NoOptions(), repeatable: true)
    }

    /// Sets a function that is called each time that the bus is lost, while the application waits for the next one.
    package func onBusLost(_ body: @escaping @Sendable () -> Void) { receiver.absence?.began = body }
}
