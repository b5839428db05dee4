package import IPCModel

/// The record of a request with an id.
package struct RequestRecord: Sendable, Hashable {
    package enum State: Int64, Sendable, CaseIterable {
        /// Accepted, and its sender waits.
        case waiting = 0
        /// Accepted without a waiting sender.
        case queued = 1
        /// Ended; the record has an outcome.
        case ended = 2
    }

    package let id: RequestID
    /// The digest of the arguments, which distinguishes a repetition from a mistake.
    package let arguments: ContentDigest
    package var state: State
    /// Nil until the request has ended.
    package var outcome: Outcome?
    /// The handler's answer after the request had ended as ``Outcome/timedOut``.
    package var lateOutcome: Outcome?
    package let source: Source
    /// The sender, as a ``CallerText``.
    package let caller: String
    /// The application id of the handler, fixed at acceptance.
    package let application: String
    package let url: String
    package let pasteboard: PasteboardName?
    /// The change count that the request is bound to.
    package let changeCount: UInt64?
    /// Nil if it has none, or it was released.
    package internal(set) var payload: Payload?
    package var attempts: UInt32
    /// How often its handler left without an answer while it had this request alone.
    package var crashes: UInt32
    /// Milliseconds that the handler has for its answer, from acceptance or, of a queued request, from delivery.
    package let timeout: UInt64
    /// The request that its sender was handling, and the count of requests above this one.
    package let parent: RequestID?
    package let depth: UInt32
    /// In milliseconds since 1970, as all times here.
    package let accepted: UInt64
    /// When it expires undelivered.
    package let expiresAt: UInt64?
    package var ended: UInt64?
    package var failure = RequestEnd.Failure()
    /// Data of the router, opaque to the store.
    package let context: [UInt8]?
    /// Empty if there is none, or it is larger than `reply-kept-bytes`.
    package var reply: [PasteboardItem] = []
    /// Oldest first; at most `trace-steps`, the first and the last ones.
    package internal(set) var trace: [TraceStep] = []
    /// The change count of the version that is held as the payload; 0 for none.
    var payloadVersion: UInt64 = 0
    /// Whether its payload is not kept: a retry would send less than the original.
    var lacksPayload = false

    /// The last request that retried this one, from its trace. Older brokers did not write it.
    package var retriedAs: String? { trace.last { $0.kind == .retried && !$0.detail.isEmpty }?.detail }

    package struct Payload: Sendable, Hashable {
        package let items: UInt32
        package let bytes: UInt64

        package init(items: UInt32, bytes: UInt64) { (self.items, self.bytes) = (items, bytes) }
    }

    package init(
        id: RequestID, arguments: ContentDigest, state: State = .waiting, source: Source, caller: String = "",
        application: String, url: String, pasteboard: PasteboardName? = nil, changeCount: UInt64? = nil,
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

/// The payer of a record: the application that the bus or a sandbox attests, else the process of the caller, else its
/// connection. With a name that the caller only states, any program could have the records of another one forgotten.
package struct RequestPayer: Sendable, Hashable {
    /// Unique among applications, processes and connections.
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
