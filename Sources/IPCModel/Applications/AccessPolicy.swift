/// The sources that may open the URLs of an application.
///
/// Refusing needs no proof: a refusal applies to every source that states a refused id. Allowing needs proof: a rule
/// that allows an id matches only a source whose id the bus confirms (``SourceStrength/owned``; I19).
public struct AccessPolicy: Sendable, Hashable {
    /// Whether sources that match no rule are allowed.
    public var allowsOthers: Bool
    /// Application ids that are allowed.
    public var allowed: Set<ApplicationID>
    /// Application ids that are refused, even if they are also in ``allowed``.
    public var refused: Set<ApplicationID>

    /// Creates a policy. By default, it allows all sources.
    public init(
        allowsOthers: Bool = true, allowed: Set<ApplicationID> = [], refused: Set<ApplicationID> = []
    ) {
        (self.allowsOthers, self.allowed, self.refused) = (allowsOthers, allowed, refused)
    }

    /// Whether this is the default policy, which need not be stored.
    package var isOpen: Bool { self == AccessPolicy() }

    /// Whether a source may open URLs of the application.
    public func allows(_ source: Source) -> Bool {
        // No rule matches a source without a valid id.
        guard let id = try? ApplicationID(source.application) else { return allowsOthers }
        if refused.contains(id) { return false }
        return allowsOthers || source.strength == .owned && allowed.contains(id)
    }

    /// Whether a source is refused only because the bus does not confirm its id.
    package func lacksProof(of source: Source) -> Bool {
        !allows(source) && allows(Source(application: source.application, strength: .owned))
    }
}
