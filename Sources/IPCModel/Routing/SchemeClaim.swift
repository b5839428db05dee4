/// An application's claim to a scheme, which can be of up to three kinds at once.
package struct SchemeClaim: Sendable, Hashable {
    /// The origin of a claim, which determines how long it lasts. The raw value is the word on the wire.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Made by a running process; it lasts until that process disconnects.
        case live
        /// Stored, so that it outlives the process that made it.
        case persistent
        /// Declared in an installed file; it lasts as long as that file.
        case installed
    }

    package let application: ApplicationID
    /// The scheme as the application last spelled it.
    package internal(set) var scheme: URLScheme

    private var live: UInt64?
    private var persistent: UInt64?
    private var installed: UInt64?

    init(_ application: ApplicationID, _ scheme: URLScheme) { (self.application, self.scheme) = (application, scheme) }

    /// When the claim got this kind: a later time is a higher number. `nil` if the claim is not of this kind.
    package internal(set) subscript(age kind: Kind) -> UInt64? {
        get {
            switch kind {
            case .live: live
            case .persistent: persistent
            case .installed: installed
            }
        }
        set {
            switch kind {
            case .live: live = newValue
            case .persistent: persistent = newValue
            case .installed: installed = newValue
            }
        }
    }

    package var kinds: [Kind] { Kind.allCases.filter { self[age: $0] != nil } }

    /// The kind that determines the claim's rank: persistent or installed (whichever is older, if the claim is both);
    /// otherwise live.
    package var kind: Kind {
        guard persistent != nil || installed != nil else { return .live }
        return persistent ?? .max < installed ?? .max ? .persistent : .installed
    }

    /// Whether this claim ranks above another. Persistent and installed claims rank above live ones; then age decides.
    func precedes(_ other: SchemeClaim) -> Bool {
        (kind == .live ? 1 : 0, self[age: kind] ?? .max) < (other.kind == .live ? 1 : 0, other[age: other.kind] ?? .max)
    }
}
