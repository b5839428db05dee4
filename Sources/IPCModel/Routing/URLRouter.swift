/// Finds the application that gets a URL, and says why it and not another.
package enum URLRouter {
    /// Finds the target of a URL.
    ///
    /// - Parameters:
    ///   - pinned: the application that the sender names; it needs no claim.
    ///   - running: whether an application owns its name on the bus.
    ///   - activatable: whether the bus can start an application.
    ///   - candidatesMost: how many candidates to list; nobody is looked at but the target where it is 0.
    package static func resolve(
        _ url: URLText, pinned: ApplicationID? = nil, in registry: SchemeRegistry, candidatesMost: Int = 0,
        running: (ApplicationID) -> Bool, activatable: (ApplicationID) -> Bool
    ) -> Resolution {
        let chosen = registry.defaultApplication(of: url.scheme)
        let handler = registry.handler(of: url.scheme)
        let target = pinned ?? handler?.application
        let judge = Judge(pinned: pinned, chosen: chosen, handler: handler)
        var resolution = Resolution(
            scheme: url.scheme, application: target, reason: judge.verdict,
            running: target.map(running) ?? false, activatable: target.map(activatable) ?? false)
        if let chosen, registry.claim(of: chosen, on: url.scheme) == nil { resolution.absentDefault = chosen }
        if candidatesMost > 0 {
            let claims = ranked(registry.claims(on: url.scheme), first: target).prefix(candidatesMost)
            resolution.candidates = claims.map { claim in
                Resolution.Candidate(
                    application: claim.application, kind: claim.kind, running: running(claim.application),
                    activatable: activatable(claim.application), reason: judge.reason(of: claim))
            }
        }
        return resolution
    }

    /// The claims with that of the target first.
    private static func ranked(_ claims: [SchemeClaim], first target: ApplicationID?) -> [SchemeClaim] {
        claims.filter { $0.application == target } + claims.filter { $0.application != target }
    }
}

extension URLRouter {
    /// Tells why a claim wins or loses.
    private struct Judge {
        let pinned: ApplicationID?
        let chosen: ApplicationID?
        let handler: SchemeClaim?

        var verdict: Resolution.Reason {
            if pinned != nil { return .pinned }
            return handler.map(reason) ?? .noHandler
        }

        func reason(of claim: SchemeClaim) -> Resolution.Reason {
            if let pinned { return claim.application == pinned ? .pinned : .anotherPinned }
            if claim.application == chosen { return .chosen }
            guard let handler, claim.application != handler.application else { return .oldest(claim.kind) }
            if handler.application == chosen { return .anotherChosen }
            return claim.kind == .live && handler.kind != .live ? .onlyLive : .newer
        }
    }
}
