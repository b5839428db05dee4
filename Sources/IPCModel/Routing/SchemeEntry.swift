/// The claims of one scheme, and the user's choice among them.
struct SchemeEntry: Sendable {
    /// One claim per application, in the order in which they would handle the scheme.
    private(set) var claims: [SchemeClaim] = []
    /// The application that the user chose. It may not currently claim the scheme.
    private(set) var chosen: ApplicationID?
    /// The index of the handler, stored so that the time of a look-up does not depend on the number of claims.
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

    /// Replaces the claim of an application, or just removes it if the new claim has no kind.
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
