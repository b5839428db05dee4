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
            let application = try await Application.connect(id: ApplicationID(Client.id), resends: false)
            let text = try await application.brokerDescription()
            let description = try? JSONValue(parsing: text)
            broker.version = description?["version"]?.string
            store.path = description?["store"]?["path"]?.string ?? ""
            store.problem = description?["store"]?["problem"]?.string
            limits = description.map { StatusReport($0).limits } ?? []
            claims = try await application.handlers().all()
            let folders = directories.data + [directories.runtime].compactMap(\.self)
            for name in claims.filter({ $0.kind == "installed" }).map(\.application) {
                let places = folders.map { "\($0)/\(ClaimFile.folder)/\(name).handler" }
                claimFiles[name] = places.first { FileFacts.read($0).isThere }
            }
            for name in Set(claims.filter(\.isHandler).map(\.application)).sorted() {
                // A failure is ignored: the broker may forget a request after it was listed.
                if let trouble = try? await trouble(of: name, application) { troubles.append(trouble) }
            }
        } catch {
            broker.silence = error.message
        }
    }

    /// Why a handler cannot be started for a waiting request, or how its newest request failed; nil if neither applies.
    @DBusActor
    private func trouble(of name: String, _ application: Application) async throws(IPCError) -> (
        request: String, sentence: String
    )? {
        let waiting = try await application.requests(state: .waiting, application: ApplicationID(name)).all()
        if let first = waiting.first(where: { $0.attempts == 0 }),
            let step = try await application.request(first.id).trace().last, step.kind == .startFailed
        {
            let reason = step.detail.isEmpty ? "" : " (\(step.detail.asTold))"
            return (first.id.text, "a request is waiting for \(name), but the application cannot be started" + reason)
        }
        let failures: [Outcome] = [.failed, .unavailable, .timedOut]
        let newest = try await application.requests(state: .ended, application: ApplicationID(name)).all()
            .filter { failures.contains($0.outcome) || [.handled, .declined].contains($0.outcome) }
            .max { $0.endedAt ?? $0.acceptedAt < $1.endedAt ?? $1.acceptedAt }
        guard let newest, failures.contains(newest.outcome) else { return nil }
        let message = try await application.request(newest.id).info().errorMessage?.asTold ?? ""
        let reason = message.isEmpty ? "" : " (\(message))"
        return (newest.id.text, "the newest request to \(name) failed: \(newest.outcome.rawValue)" + reason)
    }
}
