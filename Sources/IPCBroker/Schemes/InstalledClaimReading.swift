internal import IPCDBus
internal import IPCDesktop
internal import IPCInterface
internal import IPCModel

extension SchemesService {
    /// The claims that files make, and how they are read.
    struct Installed {
        var read: @DBusActor () -> [InstalledClaim] = { [] }
        var claims: [ApplicationID: ClaimFile] = [:]
    }

    /// `ReloadClaims`: what was read before and stands in no file any more ends.
    func reloadClaims(_ call: IncomingCall) throws { try announce(readInstalled(), after: call) }

    /// Brings the registry to what the files say now.
    func readInstalled() -> [SchemeChange] {
        let found = installed.read().map(\.file)
        var changes: [SchemeChange] = []
        for (application, earlier) in installed.claims {
            let rest = found.first { $0.application == application }?.schemes ?? []
            let gone = earlier.schemes.filter { !rest.contains($0) }
            if !gone.isEmpty { changes += registry.unregister(application, gone, kinds: [.installed]) }
        }
        installed.claims = [:]
        for claim in found {
            installed.claims[claim.application] = claim
            // It was checked by whoever installed it, except for what nobody may install.
            changes += (try? registry.register(claim.application, claim.schemes, kind: .installed)) ?? []
            if claim.takesDescriptors, handlers[claim.application] == nil {
                handlers[claim.application] = HandlerFacts(takesDescriptors: true)
            }
        }
        return changes
    }
}
