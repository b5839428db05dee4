import IPC
import IPCModel
import IPCTools

/// Requests as rows.
struct RequestTable: Sendable {
    private let requests: [RequestInfo]
    /// Milliseconds since 1970 UTC.
    private let now: UInt64

    init(_ requests: [RequestInfo], now: UInt64 = Timestamp.now) { (self.requests, self.now) = (requests, now) }

    /// - Parameter columns: those of the terminal, to which URLs are cut.
    func text(aligned: Bool, style: Style, columns: Int? = nil) -> String {
        var table = Table("ID", "STATE", "APPLICATION", "ATTEMPTS", "AGE", "URL")
        for request in requests {
            let accepted = request.acceptedMillisecondsSince1970
            table.add(
                request.id, request.stateOrOutcome, request.application, String(request.attempts),
                aligned
                    ? TimeLength.text(milliseconds: now > accepted ? now - accepted : 0) : Timestamp.text(accepted),
                request.url.onOneLine)
        }
        return table.text(aligned: aligned, style: style, columns: columns)
    }
}

extension RequestInfo {
    /// The outcome of what has ended, else the state.
    var stateOrOutcome: String { state == .ended ? outcome.rawValue : state.rawValue }
}

extension JSONValue {
    /// All that is known of a request.
    /// - Parameter reply: whether to give the reply too.
    static func request(_ request: RequestInfo, reply: Bool = false) -> JSONValue {
        .object([
            "id": .string(request.id),
            "url": .string(request.url),
            "state": .string(request.state.rawValue),
            "outcome": .string(request.outcome.rawValue),
            "late-outcome": request.lateOutcome.map { .string($0.rawValue) },
            "application": .string(request.application),
            "source-application": .nonEmpty(request.source.application),
            "source-strength": .string(request.source.strength.rawValue),
            "queue": .boolean(request.isQueued),
            "pasteboard": request.pasteboard.map { .string($0) },
            "change-count": request.changeCount.map { .count($0) },
            "item-count": .unsigned(UInt32(clamping: request.itemCount)),
            "size": .count(request.byteCount),
            "attempts": .unsigned(request.attempts),
            "parent": request.parent.map { .string($0) },
            "retried-as": request.retriedAs.map { .string($0) },
            "accepted": .count(request.acceptedMillisecondsSince1970),
            "expires": request.expiresMillisecondsSince1970.map { .count($0) },
            "ended": request.endedMillisecondsSince1970.map { .count($0) },
            "reply": reply ? .items(request.reply) : nil,
            "error-name": request.errorName.map { .string($0) },
            "error-code": request.errorCode.map { .string($0) },
            "error-message": request.errorMessage.map { .string($0) },
        ])
    }
}
