/// The proof of the source of a request; the raw value is the word on the wire.
///
/// Only ``owned`` can match a rule that allows something (I19).
public enum SourceStrength: String, Sendable, Hashable, CaseIterable {
    /// The bus attests it: the caller owns the bus name that it states.
    case owned
    /// The sandbox attests it.
    case sandboxed
    /// The caller states it without proof.
    case claimed
    /// The caller states nothing.
    case unknown
}

/// The sender of a request, as far as it is known.
public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The application id of the sender; empty if it stated none.
    public let application: String
    /// The proof of the id.
    public let strength: SourceStrength

    /// Makes a source of an application id, which may be empty, and its strength.
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
