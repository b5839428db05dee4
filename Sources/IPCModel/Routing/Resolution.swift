/// The application that gets a URL, and the reason; the answer of `ResolveURL`.
package struct Resolution: Sendable, Hashable {
    package let scheme: URLScheme
    /// The target; nil if there is none.
    package let application: ApplicationID?
    /// The reason for the target, or for its absence.
    package let reason: Reason
    /// Whether the target owns its name on the bus.
    package let running: Bool
    /// Whether the bus can start the target.
    package let activatable: Bool
    /// The user's choice if it does not claim the scheme at present, and so was passed over.
    package internal(set) var absentDefault: ApplicationID?
    /// The claims of the scheme, the target first, then in the order in which they would handle it.
    package internal(set) var candidates: [Candidate] = []

    /// Whether a queued request would be accepted.
    package var queueable: Bool { application != nil && reason != .desktopDefault }

    /// Whether a request whose sender waits would be accepted; the answer of `CanOpenURL`.
    package var canOpen: Bool { application != nil && (running || activatable) }

    /// The same for a scheme that no application claims and the desktop has a handler for, which it starts if necessary.
    /// - Parameter entry: the handler; see ``ApplicationID/init(desktopEntry:)``.
    package func given(toDesktop entry: ApplicationID, running: Bool) -> Resolution {
        Resolution(
            scheme: scheme, application: entry, reason: .desktopDefault, running: running, activatable: true,
            absentDefault: absentDefault)
    }

    /// The target, if a request can be accepted.
    /// - Parameter queued: whether its sender does not wait; then the target may be absent.
    /// - Throws: `noHandler`, or `handlerUnavailable`; nothing has been written, and no handler was called.
    @discardableResult
    package func acceptance(queued: Bool = false) throws(IPCError) -> ApplicationID {
        guard let application else { throw .noHandler(scheme) }
        guard queued || running || activatable else { throw .handlerUnavailable(application) }
        return application
    }
}

extension Resolution {
    /// One application that claims the scheme.
    package struct Candidate: Sendable, Hashable {
        package let application: ApplicationID
        /// The kind of claim that gives it its place.
        package let kind: SchemeClaim.Kind
        package let running: Bool
        package let activatable: Bool
        package let reason: Reason
    }

    /// The reason why an application is the target or was passed over; the raw value is the word on the wire.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The sender names it.
        case pinned
        /// The user chose it.
        case chosen = "default"
        /// It has the oldest lasting claim, which is stored.
        case oldestPersistent = "oldest-persistent"
        /// It has the oldest lasting claim, which comes from a desktop entry.
        case oldestInstalled = "oldest-installed"
        /// There are live claims only, and its own is the oldest.
        case oldestLive = "oldest-live"
        /// No application claims the scheme, and the desktop's own handler gets it.
        case desktopDefault = "desktop-default"
        /// No application claims the scheme.
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
