internal import IPCInterface

/// The state of a request.
public enum RequestState: String, Sendable, Hashable, CaseIterable {
    /// The request was accepted, and is waiting to be delivered or redelivered.
    case waiting
    /// The request has been delivered but not yet answered.
    case delivered
    /// The request has ended; see ``RequestInfo/outcome``.
    case ended
}

/// The broker's record of a request, without the payload.
public struct RequestInfo: Sendable, Hashable {
    /// The id of the request.
    public let id: RequestID
    /// The URL, byte for byte.
    public let url: String
    /// The state of the request.
    public let state: RequestState
    /// How the request ended; `queued` if it has not ended.
    public let outcome: Outcome
    /// The outcome that the handler reported after the request had ended as `timedOut`; `nil` if there is none.
    public let lateOutcome: Outcome?
    /// The application id of the handler.
    public let application: String
    /// The sender, and how far its id could be trusted at the time.
    public let source: Source
    /// Whether the request was queued by its sender.
    public let isQueued: Bool
    /// The pasteboard to which the items were written, or whose version was sent; `nil` if there is none.
    public let pasteboard: PasteboardName?
    /// The change count of the version that was written to the pasteboard, or sent from it; `nil` if there is none.
    public let changeCount: UInt64?
    /// The number of items in the payload.
    public let itemCount: Int
    /// The size of the payload in bytes.
    public let byteCount: UInt64
    /// How often the request was delivered.
    public let attempts: UInt32
    /// The id of the request that was being handled when this one was made; `nil` if there is none.
    public let parent: RequestID?
    /// The id of the latest retry of the request; `nil` if there is none, and always `nil` in lists.
    public let retriedAs: RequestID?
    /// When the broker accepted the request.
    public let acceptedAt: Timestamp
    /// When the request expires unless it is delivered first; `nil` if its sender waits.
    public let expiresAt: Timestamp?
    /// When the request ended; `nil` if it has not ended.
    public let endedAt: Timestamp?
    /// The stored part of the handler's reply; empty in lists.
    public let reply: [PasteboardItem]
    /// The name of the D-Bus error that made the request fail; `nil` if there is none.
    public let errorName: String?
    /// Why the request was not handled, as a code for programs; `nil` if there is no reason.
    public let errorCode: String?
    /// Why the request was not handled, as a message for people; `nil` if there is no reason.
    public let errorMessage: String?

    init(_ facts: RequestFacts) throws(IPCError) {
        state = try known(RequestState(rawValue: facts.state ?? ""), "state", facts.state)
        outcome = try known(Outcome(rawValue: facts.outcome ?? ""), "outcome", facts.outcome)
        lateOutcome = try facts.lateOutcome.map { (word) throws(IPCError) in
            try known(Outcome(rawValue: word), "late outcome", word)
        }
        try IncomingValues.checkFiles(facts.items ?? [])
        reply = facts.items ?? []
        id = try known(RequestID.self, facts.id)
        (url, application) = (facts.url ?? "", facts.application ?? "")
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        isQueued = facts.queue ?? false
        pasteboard = try facts.pasteboard.map { (name) throws(IPCError) in try known(PasteboardName.self, name) }
        changeCount = facts.changeCount
        (itemCount, byteCount) = (Int(facts.itemCount ?? 0), facts.size ?? 0)
        attempts = facts.attempts ?? 0
        parent = try facts.parent.map { (id) throws(IPCError) in try known(RequestID.self, id) }
        retriedAs = try facts.retriedAs.map { (id) throws(IPCError) in try known(RequestID.self, id) }
        acceptedAt = Timestamp(millisecondsSince1970: facts.accepted ?? 0)
        expiresAt = facts.expires.map(Timestamp.init(millisecondsSince1970:))
        endedAt = facts.ended.map(Timestamp.init(millisecondsSince1970:))
        (errorName, errorCode, errorMessage) = (facts.errorName, facts.errorCode, facts.errorMessage)
    }
}

extension Source {
    /// Creates a source from its form on the wire.
    init(stated application: String?, _ strength: String?) {
        self.init(
            application: application ?? "", strength: strength.flatMap(SourceStrength.init(rawValue:)) ?? .unknown)
    }
}

/// Unwraps a value; throws an error if it is `nil`, because the broker used a word that this library does not know.
func known<Word>(_ value: Word?, _ what: String, _ word: String?) throws(IPCError) -> Word {
    guard let value else {
        throw IPCError(
            .storeUnavailable, "the broker's answer has the \(what) “\(word ?? "")”, which this library does not know")
    }
    return value
}

/// Parses a name from the broker. An invalid name is not the caller's mistake, so it throws `storeUnavailable`.
func known<Name: CheckedName>(_ type: Name.Type, _ text: String?) throws(IPCError) -> Name {
    try known(text.flatMap { try? Name($0) }, "name", text)
}
