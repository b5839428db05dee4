/// How well the source of a request is proven. The raw value is the word on the wire.
///
/// Rules that allow access match only ``owned`` (I19).
public enum SourceStrength: String, Sendable, Hashable, CaseIterable {
    /// The bus confirms the application id: the caller owns it as its bus name.
    case owned
    /// The caller's sandbox confirms the application id.
    case sandboxed
    /// The caller states the application id without proof.
    case claimed
    /// The caller does not state an application id.
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

    package static let nobody = Source(application: "", strength: .unknown)

    /// The id and its strength, such as `demo.IPCClient (claimed)`; only the strength if the id is empty.
    public var description: String {
        application.isEmpty ? strength.rawValue : "\(application) (\(strength.rawValue))"
    }
}
