import IPC
import IPCDBus
import IPCDesktop
import IPCModel
import IPCTools

extension Facts {
    /// Asks the broker for its state, its claims and its requests.
    @DBusActor
    mutating func readBrokerReport() async {
        guard broker.process != nil else { return }
        do throws(IPCError) {
            let application = try await Application.connect(id: Client.id, resends: false)
            let text = try await application.brokerDescription()
            if let description = try? JSONValue(parsing: text) { take(description) }
            claims = try await application.handlers().all().map {
                ClaimFacts(
                    scheme: $0.scheme, application: $0.application, isHandler: $0.isHandler,
                    isRunning: $0.isRunning ?? false, isActivatable: $0.isActivatable ?? false,
                    file: $0.kind == "installed" ? claimFile(of: $0.application) : nil)
            }
            for name in Set(claims.filter(\.isHandler).map(\.application)).sorted() {
                // The broker may forget a request meanwhile.
                if let trouble = try? await trouble(of: name, application) { troubles.append(trouble) }
            }
        } catch {
            broker.silence = error.message
        }
    }

    /// The file of an installed claim.
    private func claimFile(of application: String) -> String? {
        let folders = directories.data + [directories.runtime].compactMap(\.self)
        return folders.map { "\($0)/\(ClaimFile.folder)/\(application).handler" }.first { FileFacts.read($0).isThere }
    }

    private mutating func take(_ description: JSONValue) {
        broker.version = description["version"]?.string
        if let path = description["store"]?["path"]?.string { store.path = path }
        limits = StatusReport(description).limits
    }

    /// The failures of a handler since it last handled or declined a request; nil if its start and its newest request
    /// succeeded.
    @DBusActor
    private func trouble(of name: String, _ application: Application) async throws(IPCError) -> TroubleFacts? {
        let waiting = try await application.requests(state: .waiting, application: name).all()
        if let first = waiting.first(where: { $0.attempts == 0 }),
            let step = try await application.traceRequest(first.id).last, step.kind == .startFailed
        {
            return TroubleFacts(application: name, request: first.id, message: step.detail)
        }
        let ended = try await application.requests(state: .ended, application: name).all()
            .filter { [.failed, .unavailable, .timedOut, .handled, .declined].contains($0.outcome) }
            .sorted { $0.endedMillisecondsSince1970 ?? 0 < $1.endedMillisecondsSince1970 ?? 0 }
        let failed = ended.reversed().prefix { ![.handled, .declined].contains($0.outcome) }
        guard let last = failed.first else { return nil }
        return TroubleFacts(
            application: name, count: failed.count, request: last.id, end: last.outcome,
            message: try await application.request(last.id).errorMessage ?? "")
    }
}
