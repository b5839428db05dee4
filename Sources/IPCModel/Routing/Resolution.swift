/// Who gets a URL, and why; the answer of `ResolveURL`.
package struct Resolution: Sendable, Hashable {
    /// The scheme that was looked up.
    package let scheme: URLScheme
    /// The target; nil where there is none.
    package let application: ApplicationID?
    /// Why it is the target, or why there is none.
    package let reason: Reason
    /// Whether the target owns its name on the bus.
    package let running: Bool
    /// Whether the bus can start the target.
    package let activatable: Bool
    /// The user's choice where it does not claim the scheme at present, and so was passed over.
    package internal(set) var absentDefault: ApplicationID?
    /// Who claims the scheme, the target first, then in the order in which they would handle it.
    package internal(set) var candidates: [Candidate] = []

    init(scheme: URLScheme, application: ApplicationID?, reason: Reason, running: Bool, activatable: Bool) {
        self.scheme = scheme
        self.application = application
        self.reason = reason
        self.running = running
        self.activatable = activatable
    }

    /// Whether a request that its sender does not wait for would be accepted: somebody claims the scheme or is named.
    package var queueable: Bool { application != nil && reason != .desktopDefault }

    /// Whether a request that its sender waits for would be accepted; the answer of `CanOpenURL`.
    package var canOpen: Bool { application != nil && (running || activatable) }

    /// The same where nobody claims the scheme and the desktop has a handler for it, which it starts where it has to.
    ///
    /// - Parameter entry: the handler; see ``ApplicationID/init(desktopEntry:)``.
    package func given(toDesktop entry: ApplicationID, running: Bool) -> Resolution {
        var given = Resolution(
            scheme: scheme, application: entry, reason: .desktopDefault, running: running, activatable: true)
        given.absentDefault = absentDefault
        return given
    }

    /// Refuses a request that cannot be accepted.
    ///
    /// - Parameter queued: whether its sender does not wait; then the target may be absent.
    package func acceptance(queued: Bool = false) throws(RoutingError) {
        guard let application else { throw .noHandler(scheme) }
        guard queued || running || activatable else { throw .handlerUnavailable(application) }
    }
}

extension Resolution {
    /// One application that claims the scheme.
    package struct Candidate: Sendable, Hashable {
        package let application: ApplicationID
        /// The kind of claim that gives it its place.
        package let kind: SchemeClaim.Kind
        /// Whether it owns its name on the bus.
        package let running: Bool
        /// Whether the bus can start it.
        package let activatable: Bool
        /// Why it is the target or was passed over.
        package let reason: Reason
    }

    /// Why an application is the target or was passed over; the raw value is the word on the wire.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The sender names it.
        case pinned
        /// The user chose it.
        case chosen = "default"
        /// Of the lasting claims its own is the oldest, and is stored.
        case oldestPersistent = "oldest-persistent"
        /// Of the lasting claims its own is the oldest, and comes from a desktop entry.
        case oldestInstalled = "oldest-installed"
        /// There are live claims only, and its own is the oldest.
        case oldestLive = "oldest-live"
        /// Nobody claims the scheme, and the desktop's own handler gets it.
        case desktopDefault = "desktop-default"
        /// Nobody claims the scheme.
        case noHandler = "no-handler"
        /// Passed over: the sender names another one.
        case anotherPinned = "another-pinned"
        /// Passed over: the user chose another one.
        case anotherChosen = "another-default"
        /// Passed over: the claim of the target is older.
        case newer
        /// Passed over: the claim of the target outlives its process.
        case onlyLive = "only-live"

        static func oldest(_ kind: SchemeClaim.Kind) -> Reason {
            switch kind {
            case .live: .oldestLive
            case .persistent: .oldestPersistent
            case .installed: .oldestInstalled
            }
        }
    }
}

/// Why a request is not accepted; nothing has been written, and nobody has been asked.
package enum RoutingError: Condition, Hashable {
    /// Nobody claims the scheme, and the sender names nobody.
    case noHandler(URLScheme)
    /// The target is not running, and the bus cannot start it.
    case handlerUnavailable(ApplicationID)

    package var ipcError: IPCError {
        switch self {
        case .noHandler(let scheme):
            IPCError(
                .noHandler,
                "no application handles the scheme \(scheme.spelling.quoted); \(Advice.nameReceiver.rawValue)")
        case .handlerUnavailable(let application):
            IPCError(
                .handlerUnavailable,
                "the application \(application.text.quoted) is not running, and the bus has no service file to "
                    + "start it; start it and try again")
        }
    }
}
