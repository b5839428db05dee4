internal import IPCInterface

/// The result of a request to open a URL.
public struct OpenURLResponse: Sendable, Hashable {
    /// How it ended, or `queued`: it is on disk, and ``Request/wait(timeout:)`` waits for it.
    public let outcome: Outcome
    /// The id of the request.
    public let id: RequestID
    /// The handler.
    public let application: String
    /// The version of the pasteboard that was set or sent.
    public let changeCount: UInt64?
    /// The handler's reply; values above 64 KiB are files.
    public let reply: [PasteboardItem]
    /// How often it was delivered.
    public let attempts: UInt32
    /// The name of the D-Bus error that made it fail.
    public let errorName: String?
    /// Why it was not handled, as a word for programs.
    public let errorCode: String?
    /// Why it was not handled, as a sentence for people.
    public let errorMessage: String?

    init(_ result: OpenURLResult) throws(IPCError) {
        try IncomingValues.checkFiles(result.items ?? [])
        outcome = try known(Outcome(rawValue: result.outcome ?? ""), "outcome", result.outcome)
        id = try known(RequestID.self, result.id)
        application = result.application ?? ""
        changeCount = result.changeCount
        reply = result.items ?? []
        attempts = result.attempts ?? 0
        errorName = result.errorName
        errorCode = result.errorCode
        errorMessage = result.errorMessage
    }

    /// The response if no broker has come back to report the end of a request that was sent.
    init(unknownEndOf id: RequestID, _ error: IPCError) {
        (outcome, self.id, application) = (.timedOut, id, "")
        (changeCount, reply, attempts, errorName) = (nil, [], 0, nil)
        (errorCode, errorMessage) = (Self.connectionLost, error.message)
    }

    /// The error code of a request whose end is not known.
    package static let connectionLost = "connection-lost"

    /// Whether it was cancelled from outside, and not by its handler or the handler's user.
    package var isCalledOff: Bool { outcome == .cancelled && errorCode == Outcome.calledOffCode }

    /// Whether the handler took it: `handled`, or `delivered` to a program that cannot answer.
    public var isHandled: Bool { outcome == .handled || outcome == .delivered }
}
