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

    /// Whether a source of this strength can have an id.
    package func allows(id: String) -> Bool {
        switch self {
        case .owned, .claimed: ApplicationID.isValid(id)
        case .sandboxed: ApplicationID.isValid(id) || Source.isSnap(id)
        case .unknown: id.isEmpty
        }
    }
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

    /// Whether a source of any strength can have an id.
    package static func canHave(id: String) -> Bool { SourceStrength.allCases.contains { $0.allows(id: id) } }

    /// Whether a string is the id of a snap's sandbox: `snap.` and the snap's name. A name may start with a digit, so
    /// this is not always an ``ApplicationID``.
    package static func isSnap(_ id: String) -> Bool {
        let name = id.utf8.dropFirst(snapPrefix.utf8.count)
        return id.utf8.starts(with: snapPrefix.utf8) && !name.isEmpty && id.utf8.count <= ApplicationID.maximumBytes
            && name.allSatisfy { $0.isASCIIVisible && $0 != 0x2E }
    }

    private static let snapPrefix = "snap."

    /// The id and its strength, such as `demo.IPCClient (claimed)`; only the strength if the id is empty.
    public var description: String {
        application.isEmpty ? strength.rawValue : "\(application) (\(strength.rawValue))"
    }
}
