/// The claim of one application on one scheme, in up to three kinds at a time.
package struct SchemeClaim: Sendable, Hashable {
    /// The origin of a claim, which decides how long it lasts; the raw value is the word on the wire.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A running process made it, and it ends with that process.
        case live
        /// It outlives its process, and is stored.
        case persistent
        /// An installed desktop entry made it, and it ends with that entry.
        case installed
    }

    package let application: ApplicationID
    /// The scheme as the application spelled it last.
    package internal(set) var scheme: URLScheme

    private var live: UInt64?
    private var persistent: UInt64?
    private var installed: UInt64?

    init(_ application: ApplicationID, _ scheme: URLScheme) { (self.application, self.scheme) = (application, scheme) }

    /// The age of a kind of the claim, as a number that is greater for a newer claim; nil if it is not of that kind.
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

    /// The kind that gives the claim its place: the older of the lasting ones, else live.
    package var kind: Kind {
        guard persistent != nil || installed != nil else { return .live }
        return persistent ?? .max < installed ?? .max ? .persistent : .installed
    }

    /// Lasting claims precede live ones, older ones precede newer ones.
    func precedes(_ other: SchemeClaim) -> Bool {
        (kind == .live ? 1 : 0, self[age: kind] ?? .max) < (other.kind == .live ? 1 : 0, other[age: other.kind] ?? .max)
    }
}
