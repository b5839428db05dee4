package import IPCModel

package struct RequestRecord: Sendable, Hashable {
    package enum State: Int64, Sendable, CaseIterable {
        /// Accepted; the sender is waiting.
        case waiting = 0
        /// Accepted; no sender is waiting.
        case queued = 1
        case ended = 2
    }

    package let id: RequestID
    /// The digest of the arguments, which distinguishes a repeated call from a reused id.
    package let arguments: ContentDigest
    package var state: State
    /// `nil` until the request has ended.
    package var outcome: Outcome?
    /// The handler's answer, if it came after the request had ended as ``Outcome/timedOut``.
    package var lateOutcome: Outcome?
    package let source: Source
    /// The sender, as a ``CallerText``.
    package let caller: String
    /// The application id of the handler, fixed when the request is accepted.
    package let application: ApplicationID
    package let url: String
    package let pasteboard: PasteboardName?
    /// The change count of the version that the request wrote to the pasteboard or sent from it; `nil` if none.
    package let changeCount: UInt64?
    /// The size of the payload; `nil` if there is no payload, or it was released.
    package internal(set) var payload: Payload?
    package var attempts: UInt32
    /// How many times the handler left the bus without answering while this was its only request.
    package var crashes: UInt32
    /// How long the handler has to answer, in milliseconds: from acceptance or, for a queued request, from delivery.
    package let timeout: UInt64
    /// The request that the sender was handling, if any. `depth` counts the requests in the chain above this one.
    package let parent: RequestID?
    package let depth: UInt32
    /// When the request was accepted. All times in this record are in milliseconds since 1970.
    package let accepted: UInt64
    /// When the request expires if it has not been delivered by then; `nil` for never.
    package let expiresAt: UInt64?
    package var ended: UInt64?
    package var failure = RequestEnd.Failure()
    /// The router's data, opaque to the store.
    package let context: [UInt8]?
    /// Empty if there is no reply, or it is larger than `reply-kept-bytes`.
    package var reply: [PasteboardItem] = []
    /// The steps, oldest first. At most `trace-steps` steps are kept: the first and the last ones.
    package internal(set) var trace: [TraceStep] = []
    /// The change count of the version held as the payload; 0 if there is none.
    var payloadVersion: UInt64 = 0
    /// Whether the payload is not kept, so that a retry would send less than the original.
    var lacksPayload = false

    /// The id of the last request that retried this one, as recorded in the trace. Older brokers did not record it.
    package var retriedAs: String? { trace.last { $0.kind == .retried && !$0.detail.isEmpty }?.detail }

    package struct Payload: Sendable, Hashable {
        package let items: UInt32
        package let bytes: UInt64

        package init(items: UInt32, bytes: UInt64) { (self.items, self.bytes) = (items, bytes) }
    }

    package init(
        id: RequestID, arguments: ContentDigest, state: State = .waiting, source: Source, caller: String = "",
        application: ApplicationID, url: String, pasteboard: PasteboardName? = nil, changeCount: UInt64? = nil,
        timeout: UInt64 = 0, parent: RequestID? = nil, depth: UInt32 = 0, accepted: UInt64,
        expiresAt: UInt64? = nil, context: [UInt8]? = nil
    ) {
        (self.id, self.arguments, self.state, self.source) = (id, arguments, state, source)
        (self.caller, self.application, self.url, self.pasteboard) = (caller, application, url, pasteboard)
        (self.changeCount, self.accepted, self.expiresAt) = (changeCount, accepted, expiresAt)
        (self.timeout, self.parent, self.depth) = (timeout, parent, depth)
        (self.context, attempts, crashes) = (context, 0, 0)
    }
}

/// The payer of a record, against whose limit the record counts: the application if the bus or a sandbox attests its
/// id, otherwise the caller's process or, if that is unknown, its connection. If an unproven id were enough, any
/// program could use another program's id, and make the broker forget that program's records.
package struct RequestPayer: Sendable, Hashable {
    /// Identifies the payer uniquely among applications, processes and connections.
    package let text: String
    package let isAttested: Bool

    init(_ strength: SourceStrength, application: String, caller: String) {
        isAttested = strength == .owned || strength == .sandboxed
        let payer = isAttested ? "" : CallerText(caller).processOrConnection
        text = payer.isEmpty ? application : payer
    }

    static let nobody = RequestPayer(.unknown, application: "", caller: "")
}

extension RequestRecord {
    package var payer: RequestPayer {
        RequestPayer(source.strength, application: source.application, caller: caller)
    }
}
