/// Chooses the application that gets a URL, and gives the reason.
package enum URLRouter {
    /// - Parameters:
    ///   - pinned: the application that the sender names; it need not claim the scheme.
    ///   - candidatesMost: the maximum number of candidates to list; with 0, only the target is examined.
    ///   - running: whether an application owns its name on the bus.
    ///   - activatable: whether the bus can start an application.
    package static func resolve(
        _ url: URLText, pinned: ApplicationID? = nil, in registry: SchemeRegistry, candidatesMost: Int = 0,
        running: (ApplicationID) -> Bool, activatable: (ApplicationID) -> Bool
    ) -> Resolution {
        let chosen = registry.defaultApplication(of: url.scheme)
        let handler = registry.handler(of: url.scheme)
        let target = pinned ?? handler?.application

        func reason(of claim: SchemeClaim) -> Resolution.Reason {
            if let pinned { return claim.application == pinned ? .pinned : .anotherPinned }
            if claim.application == chosen { return .chosen }
            guard let handler, claim.application != handler.application else { return .oldest(claim.kind) }
            if handler.application == chosen { return .anotherChosen }
            return claim.kind == .live && handler.kind != .live ? .onlyLive : .newer
        }

        var resolution = Resolution(
            scheme: url.scheme, application: target,
            reason: pinned != nil ? .pinned : handler.map(reason) ?? .noHandler,
            running: target.map(running) ?? false, activatable: target.map(activatable) ?? false)
        if let chosen, registry.claim(of: chosen, on: url.scheme) == nil { resolution.absentDefault = chosen }
        if candidatesMost > 0 {
            let claims = registry.claims(on: url.scheme)
            let ranked = claims.filter { $0.application == target } + claims.filter { $0.application != target }
            resolution.candidates = ranked.prefix(candidatesMost).map { claim in
                Resolution.Candidate(
                    application: claim.application, kind: claim.kind, running: running(claim.application),
                    activatable: activatable(claim.application), reason: reason(of: claim))
            }
        }
        return resolution
    }
}
