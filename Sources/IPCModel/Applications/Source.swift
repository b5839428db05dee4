/// How well the source of a request is proven. The raw value is the word on the wire.
///
/// Rules that allow access only match ``owned`` (I19).
public enum SourceStrength: String, Sendable, Hashable, CaseIterable {
    /// The bus confirms it: the caller owns the bus name that it states.
    case owned
    /// The sandbox confirms it.
    case sandboxed
    /// The caller states it without proof.
    case claimed
    /// The caller does not state a source.
    case unknown
}

/// The sender of a request, as far as it is known.
public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The application id of the sender; empty if it stated none.
    public let application: String
    /// How well the id is proven.
    public let strength: SourceStrength

    /// Creates a source from an application id, which may be empty, and its strength.
    public init(application: String, strength: SourceStrength) {
        (self.application, self.strength) = (application, strength)
    }

    /// An unknown source.
    package static let nobody = Source(application: "", strength: .unknown)

    /// `demo.IPCClient (claimed)`, or `unknown`.
    public var description: String {
        application.isEmpty ? strength.rawValue : "\(application) (\(strength.rawValue))"
    }
}
