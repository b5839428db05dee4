/// The claims to one scheme, and the user's choice among the applications.
struct SchemeEntry: Sendable {
    /// One claim per application, in order of precedence.
    private(set) var claims: [SchemeClaim] = []
    /// The application that the user chose, even if it does not currently claim the scheme; `nil` if there is none.
    private(set) var chosen: ApplicationID?
    /// The index of ``handler`` in ``claims``, stored so that a look-up takes the same time with any number of claims.
    private var handlerIndex: Int?

    /// The claim that handles the scheme: the user's choice, else the oldest lasting claim, else the oldest live one.
    var handler: SchemeClaim? { handlerIndex.map { claims[$0] } }

    var isEmpty: Bool { claims.isEmpty && chosen == nil }

    func claim(of application: ApplicationID) -> SchemeClaim? {
        claims.first { $0.application == application }
    }

    mutating func choose(_ application: ApplicationID?) {
        chosen = application
        findHandler()
    }

    /// Replaces the claim of an application, or removes it if the new claim has no kinds.
    mutating func replace(_ claim: SchemeClaim) {
        if let index = claims.firstIndex(where: { $0.application == claim.application }) { claims.remove(at: index) }
        if !claim.kinds.isEmpty {
            claims.insert(claim, at: claims.partitioningIndex { claim.precedes($0) })
        }
        findHandler()
    }

    private mutating func findHandler() {
        let choice = chosen.flatMap { chosen in claims.firstIndex { $0.application == chosen } }
        handlerIndex = choice ?? (claims.isEmpty ? nil : 0)
    }
}
