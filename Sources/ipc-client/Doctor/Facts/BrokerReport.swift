import IPC
import IPCDBus
import IPCModel
import IPCTools

extension Facts {
    /// Asks the broker for its state and its claims.
    @DBusActor
    mutating func readBrokerReport() async {
        guard broker.isRunning else { return }
        do throws(IPCError) {
            let application = try await Application.connect(id: Client.id, resends: false)
            let text = try await application.brokerDescription()
            if let description = try? JSONValue(parsing: text) { take(description) }
            let handlers = try await application.handlers().all()
            claims = handlers.map {
                ClaimFacts(
                    scheme: $0.scheme, application: $0.application, kind: $0.kind, isHandler: $0.isHandler,
                    isRunning: $0.isRunning ?? false, isActivatable: $0.isActivatable ?? false)
            }
            // A request that is forgotten meanwhile says nothing of the broker.
            do throws(IPCError) { try await readTroubles(application) } catch {}
        } catch {
            broker.silence = error.message
        }
    }

    /// Looks for handlers that fail: those that handle a scheme, and have handled or declined nothing since.
    private mutating func readTroubles(_ application: Application) async throws(IPCError) {
        var failed: [String: [RequestInfo]] = [:]
        for outcome in [Outcome.failed, .unavailable, .timedOut] {
            for request in try await application.requests(outcome: outcome).all() {
                failed[request.application, default: []].append(request)
            }
        }
        var waiting: [String: RequestInfo] = [:]
        for request in try await application.requests(state: .waiting).all()
        where request.attempts == 0 && waiting[request.application] == nil { waiting[request.application] = request }
        for name in Set(claims.filter(\.isHandler).map(\.application)).sorted() {
            if let first = waiting[name], let trouble = try await trouble(waiting: first, application) {
                troubles.append(trouble)
            } else if let trouble = try await trouble(ended: failed[name] ?? [], application) {
                troubles.append(trouble)
            }
        }
    }

    private func trouble(
        waiting first: RequestInfo, _ application: Application
    ) async throws(IPCError) -> TroubleFacts? {
        guard let step = try await application.traceRequest(first.id).last, step.kind == .startFailed else {
            return nil
        }
        return TroubleFacts(application: first.application, request: first.id, end: nil, message: step.detail)
    }

    private func trouble(
        ended failed: [RequestInfo], _ application: Application
    ) async throws(IPCError) -> TroubleFacts? {
        guard let last = failed.max(by: { $0.end < $1.end }) else { return nil }
        var good: UInt64 = 0
        for outcome in [Outcome.handled, .declined] {
            for try await request in application.requests(outcome: outcome, application: last.application) {
                good = max(good, request.end)
            }
        }
        guard last.end > good else { return nil }
        return TroubleFacts(
            application: last.application, count: failed.count { $0.end > good }, request: last.id, end: last.outcome,
            message: try await application.request(last.id).errorMessage ?? "")
    }

    /// What the broker's description says of itself.
    mutating func take(_ description: JSONValue) {
        broker.version = description["version"]?.string
        if let path = description["store"]?["path"]?.string { (store.path, store.source) = (path, .broker) }
        limits = LimitFacts.all(in: description)
    }
}

extension LimitFacts {
    /// What is counted, as the description names it, with the limits of all and of one source.
    private static let rows: [(use: String, limit: String, source: String?)] = [
        ("pasteboards", "pasteboards", "pasteboards-per-source"), ("items", "items", "items-per-source"),
        ("bytes", "stored-bytes", "stored-bytes-per-source"), ("memory-bytes", "memory-bytes", nil),
        ("watchers", "watchers", nil), ("descriptors", "descriptors", nil),
    ]

    /// Every limit of which the description tells the use.
    static func all(in description: JSONValue) -> [LimitFacts] {
        let (usage, limits) = (description["usage"], description["limits"])
        var all: [LimitFacts] = []
        for row in rows {
            if let use = usage?["total"]?[row.use]?.count, let most = limits?[row.limit]?.count {
                all.append(LimitFacts(name: row.limit, source: nil, use: use, most: most))
            }
            guard let limit = row.source, let most = limits?[limit]?.count else { continue }
            for source in usage?["sources"]?.array ?? [] {
                guard let use = source[row.use]?.count, let name = source["source"]?.string else { continue }
                all.append(LimitFacts(name: limit, source: name, use: use, most: most))
            }
        }
        return all
    }
}

extension RequestInfo {
    /// When it ended; 0 where it has not.
    fileprivate var end: UInt64 { endedMillisecondsSince1970 ?? 0 }
}
