/// The claims to schemes, the user's choices, and the handlers that follow from them.
///
/// The handler of a scheme is the application that the user chose, if it currently claims the scheme; otherwise the one
/// with the oldest lasting claim (persistent or installed); otherwise the one with the oldest live claim. A new claim
/// never displaces an older one of the same rank, and the user's choice is kept while its application is absent (I21).
/// Each method that changes claims or choices returns the schemes whose handler changed. Finding a handler takes the
/// same time with one scheme and with a hundred thousand.
package struct SchemeRegistry: Sendable {
    private var entries: [URLScheme: SchemeEntry] = [:]
    /// The schemes that each application claims, with any kind of claim.
    private var schemes: [ApplicationID: Set<URLScheme>] = [:]
    /// The schemes with at least one claim, sorted for paging.
    private var claimed = SortedList<URLScheme>()
    private var lastAge: UInt64 = 0
    /// The number of claims; each application has at most one per scheme.
    package private(set) var claimCount = 0
    /// The number of choices made by the user.
    package private(set) var defaultCount = 0

    private let limits: Limits

    /// - Parameter limits: the limits, of which `schemes`, `schemes-per-application` and `scheme-defaults` apply here.
    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Claims schemes for an application: either all of them or none. An existing claim of the same kind keeps its age
    /// and takes the new spelling. When stored claims are loaded, they must be registered in the order of their ages.
    /// - Throws: `LimitExceeded`; an ``IPCError`` if the list is empty, or a scheme is reserved and not allowed (I22).
    package mutating func register(
        _ application: ApplicationID, _ schemes: [URLScheme], kind: SchemeClaim.Kind, allowReserved: Bool = false
    ) throws -> [SchemeChange] {
        try check(application, schemes, allowReserved: allowReserved)
        return schemes.compactMap { scheme in
            lastAge += 1
            var claim = entries[scheme]?.claim(of: application) ?? SchemeClaim(application, scheme)
            claim.scheme = scheme
            claim[age: kind] = claim[age: kind] ?? lastAge
            return put(claim)
        }
    }

    /// Removes an application's claims; an empty list means all of them. Schemes that it does not claim are skipped.
    package mutating func unregister(
        _ application: ApplicationID, _ schemes: [URLScheme], kinds: Set<SchemeClaim.Kind> = [.live, .persistent]
    ) -> [SchemeChange] {
        let concerned = schemes.isEmpty ? self.schemes(of: application) : schemes
        return concerned.compactMap { scheme in
            guard var claim = claim(of: application, on: scheme) else { return nil }
            for kind in kinds { claim[age: kind] = nil }
            return put(claim)
        }
    }

    /// Sets the user's choice for a scheme. The application need not claim the scheme now; `nil` removes the choice.
    package mutating func setDefault(
        _ scheme: URLScheme, _ application: ApplicationID?
    ) throws(LimitExceeded) -> SchemeChange? {
        if application != nil && defaultApplication(of: scheme) == nil {
            try limits.check(\.schemeDefaults, use: UInt64(defaultCount), request: 1)
        }
        return update(scheme) { $0.choose(application) }
    }
}

extension SchemeRegistry {
    package func handler(of scheme: URLScheme) -> SchemeClaim? { entries[scheme]?.handler }

    /// The application that the user chose for a scheme, even if it does not claim the scheme now; `nil` if none.
    package func defaultApplication(of scheme: URLScheme) -> ApplicationID? { entries[scheme]?.chosen }

    /// A page of the user's choices, sorted by scheme.
    package func defaults(
        after: URLScheme? = nil, limit: Int
    ) -> [(scheme: URLScheme, application: ApplicationID)] {
        let rest = entries.filter { scheme, _ in after.map { scheme > $0 } ?? true }
        let chosen = rest.compactMap { scheme, entry in entry.chosen.map { (scheme, $0) } }
        return Array(chosen.sorted { $0.0 < $1.0 }.prefix(max(0, limit)))
    }

    /// Up to `limit` schemes that their chosen application does not currently claim, each with that application.
    package func absentDefaults(limit: Int) -> [String: String] {
        let absent = entries.compactMap { scheme, entry in
            entry.chosen.flatMap { entry.claim(of: $0) == nil ? (scheme, $0.text) : nil }
        }
        let first = absent.sorted { $0.0 < $1.0 }.prefix(limit)
        return Dictionary(uniqueKeysWithValues: first.map { ($0.0.canonical, $0.1) })
    }

    package func claim(of application: ApplicationID, on scheme: URLScheme) -> SchemeClaim? {
        guard schemes[application]?.contains(scheme) == true else { return nil }
        return entries[scheme]?.claim(of: application)
    }

    package func schemes(of application: ApplicationID) -> [URLScheme] {
        schemes[application].map { $0.sorted() } ?? []
    }

    /// The claims to a scheme, in the order in which they would handle it if the user had made no choice.
    package func claims(on scheme: URLScheme) -> [SchemeClaim] { entries[scheme]?.claims ?? [] }

    /// A page of the claimed schemes, sorted. Each scheme is represented by the claim that handles it.
    package func handlers(after: URLScheme? = nil, limit: Int) -> [SchemeClaim] {
        claimed.page(after: after, limit: max(0, limit)).compactMap { handler(of: $0) }
    }

    /// Up to `limit` claims of other applications to the same schemes, in the order of `schemes`.
    package func conflicts(_ application: ApplicationID, _ schemes: [URLScheme], limit: Int) -> [SchemeClaim] {
        let others = schemes.lazy.flatMap { scheme in
            claims(on: scheme).lazy.filter { $0.application != application }
        }
        return Array(others.prefix(max(0, limit)))
    }
}

extension SchemeRegistry {
    private func check(
        _ application: ApplicationID, _ schemes: [URLScheme], allowReserved: Bool
    ) throws {
        guard !schemes.isEmpty else {
            throw IPCError(.invalidArguments, "the list of schemes is empty; name at least one scheme to register")
        }
        if !allowReserved, let reserved = schemes.first(where: \.isReserved) { throw IPCError.reserved(reserved) }
        let known = self.schemes[application] ?? []
        let added = UInt64(Set(schemes.filter { !known.contains($0) }).count)
        guard added > 0 else { return }
        try limits.check(\.schemesPerApplication, use: UInt64(known.count), request: added)
        try limits.check(\.schemes, use: UInt64(claimCount), request: added)
    }

    /// Stores a claim, or removes it if it has no kinds left, and updates the indexes.
    private mutating func put(_ claim: SchemeClaim) -> SchemeChange? {
        let before = entries[claim.scheme]?.claims.count ?? 0
        let change = update(claim.scheme) { $0.replace(claim) }
        let after = entries[claim.scheme]?.claims.count ?? 0
        claimCount += after - before
        if claim.kinds.isEmpty {
            schemes[claim.application]?.remove(claim.scheme)
            if schemes[claim.application]?.isEmpty == true { schemes[claim.application] = nil }
        } else {
            schemes[claim.application, default: []].update(with: claim.scheme)
        }
        if after == 0 { claimed.remove(claim.scheme) } else if before == 0 { claimed.insert(claim.scheme) }
        return change
    }

    /// - Returns: `nil` if the handler stays the same.
    private mutating func update(_ scheme: URLScheme, _ body: (inout SchemeEntry) -> Void) -> SchemeChange? {
        let old = handler(of: scheme)?.application
        let chosenBefore = defaultApplication(of: scheme) == nil ? 0 : 1
        // Update in place: a copy of the entry would copy all its claims.
        body(&entries[scheme, default: SchemeEntry()])
        if entries[scheme]?.isEmpty == true { entries[scheme] = nil }
        defaultCount += (defaultApplication(of: scheme) == nil ? 0 : 1) - chosenBefore
        let new = handler(of: scheme)?.application
        return old == new ? nil : SchemeChange(scheme: scheme, old: old, new: new)
    }
}

/// A change of a scheme's handler, for the signal `HandlerChanged`. A handler of `nil` means that there is none.
package struct SchemeChange: Sendable, Hashable {
    /// The scheme, as it was spelled in the call that changed its handler.
    package let scheme: URLScheme
    package let old: ApplicationID?
    package let new: ApplicationID?

    package init(scheme: URLScheme, old: ApplicationID?, new: ApplicationID?) {
        (self.scheme, self.old, self.new) = (scheme, old, new)
    }
}

extension IPCError {
    package static func reserved(_ scheme: URLScheme) -> IPCError {
        IPCError(
            .reservedScheme,
            "the scheme \(scheme.spelling.quoted) is reserved for the system; \(Advice.allowReserved.rawValue)")
    }
}
