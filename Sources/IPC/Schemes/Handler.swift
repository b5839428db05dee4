internal import IPCInterface

/// A claim of an application to a URL scheme.
public struct Handler: Sendable, Hashable {
    /// The scheme as the application spells it; compare without case.
    public let scheme: String
    /// Who claims it.
    public let application: String
    /// `live` (ends with the process), `persistent` (stored) or `installed` (made by a file).
    public let kind: String
    /// Whether this one handles the scheme now.
    public let isHandler: Bool
    /// Whether the user chose it.
    public let isDefault: Bool
    /// What the broker has said of ``isHandler``; `nil` in a resolution, where the place says it.
    package let statedHandler: Bool?
    /// What the broker has said of ``isDefault``; `nil` in a resolution, where the reason says it.
    package let statedDefault: Bool?
    /// Whether the application owns its bus name now; `nil` where the broker does not say.
    public let isRunning: Bool?
    /// Whether the bus can start it; `nil` where the broker does not say.
    public let isActivatable: Bool?
    /// Why it was chosen or passed over; in a resolution only.
    public let reason: String?

    init(_ facts: ClaimFacts, scheme: String? = nil) {
        self.scheme = scheme ?? facts.scheme ?? ""
        application = facts.application ?? ""
        kind = facts.kind ?? ""
        (statedHandler, statedDefault) = (facts.handler, facts.isDefault)
        isHandler = facts.handler ?? false
        isDefault = facts.isDefault ?? false
        isRunning = facts.running
        isActivatable = facts.activatable
        reason = facts.reason
    }
}

/// Which application would get a URL, by which rule, and what was passed over.
public struct URLResolution: Sendable, Hashable {
    /// The handler; `nil` when there is none. Of one of the desktop its desktop file ID, such as `firefox.desktop`.
    public let application: String?
    /// The rule that chose it: `default`, `oldest-persistent`, `oldest-installed`, `oldest-live`, `pinned`,
    /// `desktop-default` (nobody claims the scheme, and the desktop's own handler gets it) or `no-handler`.
    public let reason: String
    /// Whether it runs.
    public let isRunning: Bool
    /// Whether the bus can start it.
    public let isActivatable: Bool
    /// Whether a request that is queued would be accepted and wait for it on the disk, be it there or not; see
    /// ``OpenOptions/isQueued``.
    public let isQueueable: Bool
    /// The user's choice where it does not claim the scheme now, and so was passed over.
    public let absentDefault: String?
    /// All claims to the scheme, the winner first; each of the others with the reason why it was passed over.
    public let candidates: [Handler]

    init(_ facts: ResolutionFacts) {
        application = facts.application.flatMap { $0.isEmpty ? nil : $0 }
        reason = facts.reason ?? ""
        isRunning = facts.running ?? false
        isActivatable = facts.activatable ?? false
        isQueueable = facts.queueable ?? false
        absentDefault = facts.absentDefault
        candidates = (facts.candidates ?? []).map { Handler($0) }
    }
}
