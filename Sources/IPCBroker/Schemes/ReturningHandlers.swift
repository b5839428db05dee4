internal import IPCDBus
internal import IPCModel
internal import IPCStore

/// The handlers that were running when the last broker or bus stopped. For a while after the broker starts, a request
/// for one of them waits for the handler to return, instead of failing (I24).
@DBusActor
final class ReturningHandlers {
    private var applications: Set<ApplicationID> = []
    private var schemes: [URLScheme: Set<ApplicationID>] = [:]
    private let waiting = Waiters()
    private let timer = DBusTimer()
    private var gaveUpOn: @DBusActor ([ApplicationID]) -> Void = { _ in }

    private let patience: Duration

    /// - Parameter patience: how long to wait. The library registers again within this time after a restart (I24).
    init(patience: Duration = .seconds(5)) { self.patience = patience }

    /// Starts to expect that the handlers of these claims return.
    /// - Parameter gaveUp: receives the handlers that have not returned in time.
    func expect(_ claims: [LiveClaims], gaveUp: @escaping @DBusActor ([ApplicationID]) -> Void = { _ in }) {
        guard !claims.isEmpty else { return }
        gaveUpOn = gaveUp
        for claim in claims {
            applications.insert(claim.application)
            for scheme in claim.schemes { schemes[scheme, default: []].insert(claim.application) }
        }
        timer.set(at: .now + patience) { [weak self] in self?.giveUp() }
    }

    /// Whether the application is expected to return or, if it is `nil`, whether any handler of the scheme is.
    func areExpected(_ scheme: URLScheme, _ application: ApplicationID?) -> Bool {
        if let application { return applications.contains(application) }
        return schemes[scheme] != nil
    }

    /// Waits until a handler returns, or none is expected any longer.
    func change() async { await waiting.wait { !applications.isEmpty } }

    /// Waits until the application has returned, or is no longer expected.
    func end(of application: ApplicationID) async {
        while applications.contains(application) { await change() }
    }

    func came(_ application: ApplicationID) {
        guard applications.remove(application) != nil else { return }
        schemes = schemes.compactMapValues { handlers in
            let rest = handlers.subtracting([application])
            return rest.isEmpty ? nil : rest
        }
        waiting.resumeAll()
    }

    private func giveUp() {
        if !applications.isEmpty { gaveUpOn(Array(applications)) }
        (applications, schemes) = ([], [:])
        waiting.resumeAll()
    }
}
