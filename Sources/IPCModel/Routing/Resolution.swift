/// The application that gets a URL, and the reason; the result of `ResolveURL`.
package struct Resolution: Sendable, Hashable {
    package let scheme: URLScheme
    /// The target, which is the application that gets the URL; `nil` if there is none.
    package let application: ApplicationID?
    /// The reason why this is the target, or why there is none.
    package let reason: Reason
    /// Whether the target owns its name on the bus.
    package let running: Bool
    /// Whether the bus can start the target.
    package let activatable: Bool
    /// The application that the user chose, if it was skipped because it does not currently claim the scheme.
    package internal(set) var absentDefault: ApplicationID?
    /// The applications that claim the scheme: the target first, then the others in their order of precedence.
    package internal(set) var candidates: [Candidate] = []

    /// Whether a queued request would be accepted.
    package var queueable: Bool { application != nil && reason != .desktopDefault }

    /// Whether a request whose sender waits for the outcome would be accepted; the result of `CanOpenURL`.
    package var canOpen: Bool { application != nil && (running || activatable) }

    /// Returns the resolution with the desktop's own handler as the target, for a scheme that no application claims.
    /// - Parameter entry: the id of the desktop's handler; see ``ApplicationID/init(desktopEntry:)``.
    package func given(toDesktop entry: ApplicationID, running: Bool) -> Resolution {
        Resolution(
            scheme: scheme, application: entry, reason: .desktopDefault, running: running, activatable: true,
            absentDefault: absentDefault)
    }

    /// Returns the target if a request can be accepted.
    /// - Parameter queued: whether the sender queues the request. If so, the target need not be running or startable.
    /// - Throws: `noHandler` or `handlerUnavailable`. Nothing was written, and no handler was called.
    @discardableResult
    package func acceptance(queued: Bool = false) throws(IPCError) -> ApplicationID {
        guard let application else { throw .noHandler(scheme) }
        guard queued || running || activatable else { throw .handlerUnavailable(application) }
        return application
    }
}

extension Resolution {
    package struct Candidate: Sendable, Hashable {
        package let application: ApplicationID
        /// The kind of claim that determines the application's rank.
        package let kind: SchemeClaim.Kind
        package let running: Bool
        package let activatable: Bool
        package let reason: Reason
    }

    /// The reason why an application is the target or was skipped. The raw value is the word on the wire.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The sender named this application.
        case pinned
        /// The user chose this application.
        case chosen = "default"
        /// The application has the oldest lasting claim (persistent or installed), and it is persistent.
        case oldestPersistent = "oldest-persistent"
        /// The application has the oldest lasting claim (persistent or installed), and it is installed.
        case oldestInstalled = "oldest-installed"
        /// There are only live claims, and this application has the oldest one.
        case oldestLive = "oldest-live"
        /// No application claims the scheme, so the desktop's own handler gets the URL.
        case desktopDefault = "desktop-default"
        /// No application claims the scheme.
        case noHandler = "no-handler"
        /// Skipped: the sender named another application.
        case anotherPinned = "another-pinned"
        /// Skipped: the user chose another application.
        case anotherChosen = "another-default"
        /// Skipped: the target's claim is older.
        case newer
        /// Skipped: the application's claim is live, and the target's claim is persistent or installed.
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

extension IPCError {
    package static func noHandler(_ scheme: URLScheme) -> IPCError {
        IPCError(
            .noHandler,
            "no application handles the scheme \(scheme.spelling.quoted); \(Advice.nameHandler.rawValue)")
    }

    package static func handlerUnavailable(_ application: ApplicationID) -> IPCError {
        IPCError(
            .handlerUnavailable,
            "the application \(application.text.quoted) is not running, and the bus has no service file to start it; "
                + "start it and try again")
    }
}
