internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// Handlers that were there when the last broker ended, or the bus, and are expected back: for a while after the start a
/// request for one of them waits for it instead of being refused (I24).
@DBusActor
final class ReturningHandlers {
    private var applications: Set<ApplicationID> = []
    private var schemes: [URLScheme: Set<ApplicationID>] = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let timer = DBusTimer()
    private var gaveUpOn: @DBusActor ([ApplicationID]) -> Void = { _ in }

    private let patience: Duration

    /// - Parameter patience: what a restart takes at most for those who use the library (I24).
    init(patience: Duration = .seconds(5)) { self.patience = patience }

    /// Expects handlers back from now on.
    /// - Parameter gaveUp: gets those who have not come.
    func expect(_ claims: [LiveClaims], gaveUp: @escaping @DBusActor ([ApplicationID]) -> Void = { _ in }) {
        guard !claims.isEmpty else { return }
        gaveUpOn = gaveUp
        for claim in claims {
            applications.insert(claim.application)
            for scheme in claim.schemes { schemes[scheme, default: []].insert(claim.application) }
        }
        timer.set(at: .now + patience) { [weak self] in self?.giveUp() }
    }

    /// Whether somebody who may handle a scheme, or a certain application, is expected.
    func areExpected(_ scheme: URLScheme, _ application: ApplicationID?) -> Bool {
        if let application { return applications.contains(application) }
        return schemes[scheme] != nil
    }

    /// Waits until one more has come, or none is expected any more.
    func change() async {
        await withCheckedContinuation { continuation in
            if applications.isEmpty { continuation.resume() } else { waiting.append(continuation) }
        }
    }

    /// A handler has come.
    func came(_ application: ApplicationID) {
        guard applications.remove(application) != nil else { return }
        schemes = schemes.compactMapValues { handlers in
            let rest = handlers.subtracting([application])
            return rest.isEmpty ? nil : rest
        }
        wake()
    }

    private func giveUp() {
        if !applications.isEmpty { gaveUpOn(Array(applications)) }
        (applications, schemes) = ([], [:])
        wake()
    }

    private func wake() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}
