package import IPCModel

/// An open request as the store keeps it, of a sender who gave it an id.
package struct RequestRecord: Sendable, Hashable {
    /// How far a request has come.
    package enum State: Int64, Sendable, CaseIterable {
        /// Accepted, and its sender waits.
        case waiting = 0
        /// Accepted, and nobody waits.
        case queued = 1
        /// Over; the record has an outcome.
        case ended = 2
    }

    package let id: RequestID
    /// The digest of what the request was given, by which a repetition is told from a mistake.
    package let arguments: ContentDigest
    package var state: State
    /// How it ended; nil as long as it has not.
    package var outcome: Outcome?
    /// What the handler said after the request had ended as ``Outcome/timedOut``.
    package var lateOutcome: Outcome?
    package let source: Source
    /// The connection that sent it: its unique name, `@`, and the id of the bus. If its process is known, a space and the
    /// process follow. Empty if no connection is known.
    package let caller: String
    /// The application id of the handler that was fixed at acceptance.
    package let application: String
    package let url: String
    /// The pasteboard that the payload was set on.
    package let pasteboard: PasteboardName?
    /// The change count that the request is bound to; 0 for none.
    package let changeCount: UInt64
    /// What goes with it; nil where nothing does, or it was let go.
    package internal(set) var payload: Payload?
    /// How often it was delivered.
    package var attempts: UInt32
    /// How often its handler left without an answer while it had this request alone.
    package var crashes: UInt32
    /// Milliseconds that the handler has for its answer, from acceptance or, of a queued request, from delivery.
    package let timeout: UInt64
    /// The request that its sender was handling, and how many stand above it.
    package let parent: RequestID?
    package let depth: UInt32
    /// When it was accepted, in milliseconds since 1970.
    package let accepted: UInt64
    /// When it expires undelivered, in milliseconds since 1970.
    package let expiresAt: UInt64?
    /// When it ended, in milliseconds since 1970.
    package var ended: UInt64?
    package var failure = RequestEnd.Failure()
    /// What the router keeps with the request; the store does not look into it.
    package let context: [UInt8]?
    /// The reply; empty where there is none, or it is larger than `reply-kept-bytes`.
    package var reply: [PasteboardItem] = []
    /// What happened to it, oldest first; at most `trace-steps`, the first and the last ones.
    package internal(set) var trace: [TraceStep] = []
    /// The change count of the version that is held as the payload; 0 for none.
    var payloadVersion: UInt64 = 0
    /// Whether something went with it that is not kept: a retry would send less than was sent.
    var lacksPayload = false

    /// The request that it was queued once more as, the last one: the trace says so, which keeps its last steps.
    /// Older brokers did not say as which.
    package var retriedAs: String? { trace.last { $0.kind == .retried && !$0.detail.isEmpty }?.detail }

    /// What goes with a request.
    package struct Payload: Sendable, Hashable {
        package let items: UInt32
        package let bytes: UInt64

        package init(items: UInt32, bytes: UInt64) { (self.items, self.bytes) = (items, bytes) }
    }

    /// A request at its acceptance, in milliseconds since 1970.
    package init(
        id: RequestID, arguments: ContentDigest, state: State = .waiting, source: Source, caller: String = "",
        application: String, url: String, pasteboard: PasteboardName? = nil, changeCount: UInt64 = 0,
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

/// The account on which the record of a request is kept: the application that the bus or a sandbox attests, else the
/// process of the caller, else its connection. A name that is only stated would let any program have the records of
/// another one forgotten.
package struct RequestPayer: Sendable, Hashable {
    /// No application, process or connection has the text of another one.
    package let text: String
    package let isAttested: Bool

    init(_ strength: SourceStrength, application: String, caller: String) {
        isAttested = strength == .owned || strength == .sandboxed
        guard !isAttested else {
            text = application
            return
        }
        // The connection, or the connection and the process.
        let space = caller.utf8.firstIndex(of: UInt8(ascii: " "))
        let payer = space.map { caller[caller.utf8.index(after: $0)...] } ?? caller[...]
        text = payer.isEmpty ? application : String(payer)
    }

    /// Of a record that tells nothing.
    static let nobody = RequestPayer(.unknown, application: "", caller: "")
}

extension RequestRecord {
    package var payer: RequestPayer {
        RequestPayer(source.strength, application: source.application, caller: caller)
    }

    /// The connection that sent it, with the id of its bus.
    package var connection: String { String(caller.prefix { $0 != " " }) }
}
