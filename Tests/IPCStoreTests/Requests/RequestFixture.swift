import IPCModel
import IPCStore

extension TestPlace {
    /// A queued request as a broker starts it.
    func request(
        _ id: RequestID = .random(), source: String = "demo.IPCClient", arguments: [UInt8] = [1],
        board: PasteboardName? = nil, changeCount: UInt64 = 0
    ) -> RequestRecord {
        RequestRecord(
            id: id, arguments: ContentDigest(of: arguments), state: .queued,
            source: Source(application: source, strength: .owned), caller: ":1.7@bus",
            application: "demo.IPCServer", url: "IPCServer.demo:", pasteboard: board, changeCount: changeCount,
            timeout: 600_000, accepted: clock.now, expiresAt: clock.now + 604_800_000)
    }

    /// A step of a trace, at the current time.
    func step(_ kind: TraceStep.Kind, attempt: UInt32 = 0, _ detail: String = "") -> TraceStep {
        TraceStep(kind, at: clock.now, attempt: attempt, who: "demo.IPCServer", size: 3, detail: detail)
    }
}

extension Store {
    /// Accepts a request with a payload, which may have large values.
    func accept(_ request: RequestRecord, _ payload: RequestPayload, trace: [TraceStep] = []) async throws {
        _ = try await withPayload(payload) { payload in
            try await commit { try $0.requests.begin(request, payload: payload, trace: trace) }
        }
    }

    /// Starts another attempt of a request, and returns its payload.
    func attempt(_ id: RequestID) async throws -> [PasteboardItem]? {
        try await commit { try $0.requests.beginAttempt(id) }.items
    }

    @discardableResult
    func end(_ id: RequestID, _ outcome: Outcome, payload: RequestPayload = .none) async throws -> RequestRecord {
        try await commit { try $0.requests.finish(id, RequestEnd(outcome, attempts: 0), payload: payload) }
    }
}
