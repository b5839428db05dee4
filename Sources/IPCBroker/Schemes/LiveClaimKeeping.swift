internal import IPCDBus
internal import IPCModel
internal import IPCStore

// Preserves the claims of running handlers across a restart of the broker.
extension SchemesService {
    /// Restores the claims of handlers that kept their connection across the restart. Expects all others to return.
    func loadLive() async throws {
        let earlier = try await store.commit { try $0.registrations.liveClaims() }
        var gone: [LiveClaims] = []
        for claims in earlier {
            let owner = try await clients.owner(of: claims.application)
            // The handler may have left during the query.
            guard let owner, identify(owner) == claims.owner, clients.isRunning(claims.application) else {
                gone.append(claims)
                continue
            }
            _ = try? registry.register(claims.application, claims.schemes, kind: .live, allowReserved: true)
            handlers[claims.application] = HandlerFacts(
                window: Int(claims.window), takesDescriptors: claims.takesDescriptors, isLive: true)
        }
        returning.expect(gone) { [store] applications in
            // Remove the claims of handlers that did not return, so that the next broker does not expect them again.
            DBusActor.task {
                _ = try? await store.stage { transaction in
                    for application in applications { try transaction.registrations.removeLiveClaims(of: application) }
                }
            }
        }
    }

    /// Stores a running handler's claims for the next broker. If this fails, the handler's library registers again.
    func saveLive(_ application: ApplicationID, of owner: BusName?) async {
        let schemes = registry.schemes(of: application).filter {
            registry.claim(of: application, on: $0)?.kinds.contains(.live) == true
        }
        let facts = facts(of: application)
        let claims = LiveClaims(
            application: application, owner: identify(owner), schemes: schemes, window: UInt32(clamping: facts.window),
            takesDescriptors: facts.takesDescriptors)
        _ = try? await store.commit { transaction in
            guard !claims.schemes.isEmpty else {
                return try transaction.registrations.removeLiveClaims(of: application)
            }
            try transaction.registrations.saveLiveClaims(claims)
        }
    }
}
