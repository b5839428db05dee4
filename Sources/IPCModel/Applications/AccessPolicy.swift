/// The sources that may open the URLs of an application.
///
/// A refusal needs no proof: it applies to any source that states a refused id. An allowance needs proof: only a source
/// whose id the bus attests (``SourceStrength/owned``) can match it (I19).
public struct AccessPolicy: Sendable, Hashable {
    /// Whether sources that match no rule are allowed.
    public var allowsOthers: Bool
    /// Application ids that are allowed.
    public var allowed: Set<String>
    /// Application ids that are refused, even if they are allowed too.
    public var refused: Set<String>

    /// Creates a policy. With `allowsOthers` it allows all sources but the refused ones, and without it only the allowed ones.
    public init(allowsOthers: Bool = true, allowed: Set<String> = [], refused: Set<String> = []) {
        (self.allowsOthers, self.allowed, self.refused) = (allowsOthers, allowed, refused)
    }

    /// Whether it is the default, which need not be stored.
    package var isOpen: Bool { self == AccessPolicy() }

    /// Whether a source may open URLs here.
    public func allows(_ source: Source) -> Bool {
        if !source.application.isEmpty, refused.contains(source.application) { return false }
        if source.strength == .owned, allowed.contains(source.application) { return true }
        return allowsOthers
    }

    /// Whether a source is refused only because the bus does not attest its id.
    package func lacksProof(of source: Source) -> Bool {
        !allows(source) && allows(Source(application: source.application, strength: .owned))
    }
}
