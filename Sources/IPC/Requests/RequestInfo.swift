internal import IPCInterface

/// The state of a request.
public enum RequestState: String, Sendable, Hashable, CaseIterable {
    /// Accepted, and not delivered yet, or to be delivered again.
    case waiting
    /// Delivered, and not answered yet.
    case delivered
    /// Ended; see ``RequestInfo/outcome``.
    case ended
}

/// The broker's record of a request, without the payload.
public struct RequestInfo: Sendable, Hashable {
    /// The id of the request.
    public let id: RequestID
    /// The URL, byte for byte.
    public let url: String
    /// Its state.
    public let state: RequestState
    /// How it ended; `queued` if it has not ended.
    public let outcome: Outcome
    /// The handler's answer after the request was `timedOut`; `nil` if there is none.
    public let lateOutcome: Outcome?
    /// The handler.
    public let application: String
    /// The sender, and how far its id could be trusted then.
    public let source: Source
    /// Whether its sender queued it.
    public let isQueued: Bool
    /// The pasteboard that was set or sent.
    public let pasteboard: PasteboardName?
    /// The version of the pasteboard that was set or sent.
    public let changeCount: UInt64?
    /// The count of the payload's items.
    public let itemCount: Int
    /// The size of the payload in bytes.
    public let byteCount: UInt64
    /// How often it was delivered.
    public let attempts: UInt32
    /// The request that was being handled when it was made.
    public let parent: RequestID?
    /// The id of its last retry; `nil` if there is none, and in a list.
    public let retriedAs: RequestID?
    /// When the broker accepted it.
    public let acceptedAt: Timestamp
    /// When it expires unless it is delivered before; `nil` if its sender waits.
    public let expiresAt: Timestamp?
    /// When it ended; `nil` if it has not ended.
    public let endedAt: Timestamp?
    /// The handler's reply, as far as it is kept; empty in a list.
    public let reply: [PasteboardItem]
    /// The name of the D-Bus error that made it fail.
    public let errorName: String?
    /// Why it was not handled, as a word for programs.
    public let errorCode: String?
    /// Why it was not handled, as a sentence for people.
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
    /// Reads a source from the wire.
    init(stated application: String?, _ strength: String?) {
        self.init(
            application: application ?? "", strength: strength.flatMap(SourceStrength.init(rawValue:)) ?? .unknown)
    }
}

/// Throws an error for a word of the broker's that this library does not know.
func known<Word>(_ value: Word?, _ what: String, _ word: String?) throws(IPCError) -> Word {
    guard let value else {
        throw IPCError(
            .storeUnavailable, "the broker's answer has the \(what) “\(word ?? "")”, which this library does not know")
    }
    return value
}

/// Reads a name from an answer of the broker. A wrong name is not the caller's mistake.
func known<Name: CheckedName>(_ type: Name.Type, _ text: String?) throws(IPCError) -> Name {
    try known(text.flatMap { try? Name($0) }, "name", text)
}
