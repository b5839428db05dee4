internal import IPCInterface

/// An application's claim to a URL scheme.
public struct Handler: Sendable, Hashable {
    /// The scheme as the application spells it; in a ``URLResolution``, as the URL spells it.
    public let scheme: URLScheme
    /// The application that claims the scheme.
    public let application: String
    /// `live` (released when the process disconnects), `persistent` (stored) or `installed` (declared in a file).
    public let kind: String
    /// Whether the application currently handles the scheme.
    public let isHandler: Bool
    /// Whether the user chose the application for the scheme.
    public let isDefault: Bool
    /// ``isHandler`` as the broker reports it; `nil` in a ``URLResolution``, where the position implies it.
    package let statedHandler: Bool?
    /// ``isDefault`` as the broker reports it; `nil` in a ``URLResolution``, where the reason implies it.
    package let statedDefault: Bool?
    /// Whether the application currently owns its bus name; `nil` if the broker does not report it.
    public let isRunning: Bool?
    /// Whether the bus can start the application; `nil` if the broker does not report it.
    public let isActivatable: Bool?
    /// Whether the claim is stored, even if ``kind`` says otherwise; `nil` if the broker does not report it.
    package let isStored: Bool?
    /// Whether the application accepts large values as descriptors; `nil` if the broker does not report it.
    package let takesDescriptors: Bool?
    /// Why the application was chosen or not; `nil` except in a ``URLResolution``.
    public let reason: String?

    init(_ facts: ClaimFacts, scheme: URLScheme) {
        self.scheme = scheme
        application = facts.application ?? ""
        kind = facts.kind ?? ""
        (statedHandler, statedDefault) = (facts.handler, facts.isDefault)
        isHandler = facts.handler ?? false
        isDefault = facts.isDefault ?? false
        isRunning = facts.running
        isActivatable = facts.activatable
        (isStored, takesDescriptors) = (facts.stored, facts.fd)
        reason = facts.reason
    }
}

/// The application that would get a URL, the rule that chose it, and the other claims.
public struct URLResolution: Sendable, Hashable {
    /// The handler; for a desktop application, the desktop file ID, such as `firefox.desktop`; `nil` if there is none.
    public let application: String?
    /// The rule that applied: `default`, `oldest-persistent`, `oldest-installed`, `oldest-live`, `pinned`,
    /// `desktop-default` (no application claims the scheme, and the desktop's own handler gets it) or `no-handler`.
    public let reason: String
    /// Whether the application is running.
    public let isRunning: Bool
    /// Whether the bus can start the application.
    public let isActivatable: Bool
    /// Whether a queued request would be accepted, even if the handler is not running; see ``OpenOptions/isQueued``.
    public let isQueueable: Bool
    /// The user's choice, if it was skipped because it does not currently claim the scheme; otherwise `nil`.
    public let absentDefault: String?
    /// All claims to the scheme, the chosen one first, each with its reason.
    public let candidates: [Handler]

    init(_ facts: ResolutionFacts, of scheme: URLScheme) {
        application = facts.application.flatMap { $0.isEmpty ? nil : $0 }
        reason = facts.reason ?? ""
        isRunning = facts.running ?? false
        isActivatable = facts.activatable ?? false
        isQueueable = facts.queueable ?? false
        absentDefault = facts.absentDefault
        candidates = (facts.candidates ?? []).map { Handler($0, scheme: scheme) }
    }
}
