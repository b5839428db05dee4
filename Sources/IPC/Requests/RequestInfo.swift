internal import IPCInterface

/// Where an open request is on its way.
public enum RequestState: String, Sendable, Hashable, CaseIterable {
    /// Accepted, and not delivered yet, or to be delivered again.
    case waiting
    /// Its handler has it, and has not answered.
    case delivered
    /// It has reached its end.
    case ended
}

/// All that the broker knows of an open request, but for the payload.
public struct RequestInfo: Sendable, Hashable {
    /// The id of the request.
    public let id: String
    /// The URL, byte for byte.
    public let url: String
    /// Where it is on its way.
    public let state: RequestState
    /// How it ended; `queued` where it has not.
    public let outcome: Outcome
    /// What its handler answered after it was `timedOut`; `nil` where nothing came.
    public let lateOutcome: Outcome?
    /// The application that is to handle it.
    public let application: String
    /// Who sent it, and how far that could be trusted then.
    public let source: Source
    /// Whether its sender queued it, and did not wait.
    public let isQueued: Bool
    /// The pasteboard that was set or sent.
    public let pasteboard: String?
    /// The version of the pasteboard that was set or sent.
    public let changeCount: UInt64?
    /// How many items the payload has.
    public let itemCount: Int
    /// The size of the payload in bytes.
    public let byteCount: UInt64
    /// How often it was delivered.
    public let attempts: UInt32
    /// The request that was being handled when it was made.
    public let parent: String?
    /// The id of the request that it was queued once more as, the last one; `nil` where it was not, and in a list.
    public let retriedAs: String?
    /// When the broker accepted it, in milliseconds since 1970 UTC.
    public let acceptedMillisecondsSince1970: UInt64
    /// When it expires unless it is delivered before; `nil` where its sender waits.
    public let expiresMillisecondsSince1970: UInt64?
    /// When it ended; `nil` where it has not.
    public let endedMillisecondsSince1970: UInt64?
    /// What the receiver gave back, as far as it is kept; never in a list.
    public let reply: [PasteboardItem]
    /// The D-Bus error that made it fail, where there was one.
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
        (id, url, application) = (facts.id ?? "", facts.url ?? "", facts.application ?? "")
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        isQueued = facts.queue ?? false
        (pasteboard, changeCount) = (facts.pasteboard, facts.changeCount)
        (itemCount, byteCount) = (Int(facts.itemCount ?? 0), facts.size ?? 0)
        (attempts, parent, retriedAs) = (facts.attempts ?? 0, facts.parent, facts.retriedAs)
        acceptedMillisecondsSince1970 = facts.accepted ?? 0
        (expiresMillisecondsSince1970, endedMillisecondsSince1970) = (facts.expires, facts.ended)
        (errorName, errorCode, errorMessage) = (facts.errorName, facts.errorCode, facts.errorMessage)
    }
}

extension Source {
    /// A source as it came over the wire.
    init(stated application: String?, _ strength: String?) {
        self.init(
            application: application ?? "", strength: strength.flatMap(SourceStrength.init(rawValue:)) ?? .unknown)
    }
}

/// A word of the broker's as a value; one that this library does not know is an error.
func known<Word>(_ value: Word?, _ what: String, _ word: String?) throws(IPCError) -> Word {
    guard let value else {
        throw IPCError(
            .storeUnavailable, "the broker's answer has the \(what) “\(word ?? "")”, which this library does not know")
    }
    return value
}
