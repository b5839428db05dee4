/// What one application claims of one scheme, in up to three kinds at a time.
package struct SchemeClaim: Sendable, Hashable {
    /// Where a claim comes from, which says how long it lasts; the raw value is the word on the wire.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Made by a running process, and ends with it.
        case live
        /// Made to outlive its process, and stored.
        case persistent
        /// Made by an installed desktop entry, and ends with that.
        case installed
    }

    /// The application that claims.
    package let application: ApplicationID
    /// The scheme as the application spelled it last.
    package internal(set) var scheme: URLScheme

    private var live: UInt64?
    private var persistent: UInt64?
    private var installed: UInt64?

    init(_ application: ApplicationID, _ scheme: URLScheme) {
        self.application = application
        self.scheme = scheme
    }

    /// When the claim was made in one of its kinds, as a number that grows; nil where it is not of that kind.
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

    /// The kinds of the claim.
    package var kinds: [Kind] { Kind.allCases.filter { self[age: $0] != nil } }

    /// The kind that gives the claim its place: the older of the lasting ones, else live.
    package var kind: Kind {
        switch (persistent, installed) {
        case (nil, nil): .live
        case (let persistent?, let installed?): persistent < installed ? .persistent : .installed
        case (_?, nil): .persistent
        case (nil, _?): .installed
        }
    }

    /// Whether the application is known by a desktop entry alone: then it gets `org.freedesktop.Application.Open`.
    package var isInstalledOnly: Bool { live == nil && persistent == nil }

    /// Lasting claims precede live ones, older ones precede newer ones.
    func precedes(_ other: SchemeClaim) -> Bool {
        (kind == .live ? 1 : 0, self[age: kind] ?? .max) < (other.kind == .live ? 1 : 0, other[age: other.kind] ?? .max)
    }
}
