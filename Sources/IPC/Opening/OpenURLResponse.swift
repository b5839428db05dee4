internal import IPCInterface

/// The result of a request to open a URL.
public struct OpenURLResponse: Sendable, Hashable {
    /// How the request ended; or `queued` if it is on disk, so that ``Request/wait(timeout:)`` can wait for it.
    public let outcome: Outcome
    /// The id of the request.
    public let id: RequestID
    /// The handler.
    public let application: String
    /// The change count of the version that was written to the pasteboard, or sent from it.
    public let changeCount: UInt64?
    /// The handler's reply. Values above 64 KiB are files.
    public let reply: [PasteboardItem]
    /// How often the request was delivered.
    public let attempts: UInt32
    /// The name of the D-Bus error that made the request fail.
    public let errorName: String?
    /// Why the request was not handled, as a code for programs.
    public let errorCode: String?
    /// Why the request was not handled, as a message for people.
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

    /// Creates the response for a request that was sent, if no broker came back to report how it ended.
    init(unknownEndOf id: RequestID, _ error: IPCError) {
        (outcome, self.id, application) = (.timedOut, id, "")
        (changeCount, reply, attempts, errorName) = (nil, [], 0, nil)
        (errorCode, errorMessage) = (Self.connectionLost, error.message)
    }

    /// The error code of a request if it is not known how it ended.
    package static let connectionLost = "connection-lost"

    /// Whether a caller cancelled the request, not its handler or the handler's user.
    package var isCalledOff: Bool { outcome == .cancelled && errorCode == Outcome.calledOffCode }

    /// Whether the handler accepted it: `handled`, or `delivered` to a program that cannot answer.
    public var isHandled: Bool { outcome == .handled || outcome == .delivered }
}
