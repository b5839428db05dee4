internal import IPCInterface

/// The result of a request to open a URL.
public struct OpenURLResponse: Sendable, Hashable {
    /// How the request ended; `queued` if it is on disk and has not ended. See ``Request/wait(timeout:)``.
    public let outcome: Outcome
    /// The id of the request.
    public let id: RequestID
    /// The application id of the handler; empty if it is unknown.
    public let application: String
    /// The change count of the version that was written to the pasteboard, or sent from it; `nil` if there is none.
    public let changeCount: UInt64?
    /// The handler's reply. Values above 64 KiB are files.
    public let reply: [PasteboardItem]
    /// How often the request was delivered.
    public let attempts: UInt32
    /// The name of the D-Bus error that made the request fail; `nil` if there is none.
    public let errorName: String?
    /// Why the request was not handled, as a code for programs; `nil` if there is no reason.
    public let errorCode: String?
    /// Why the request was not handled, as a message for people; `nil` if there is no reason.
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

    /// Creates the response for a request whose outcome is unknown, because no broker came back to report it.
    init(unknownEndOf id: RequestID, _ error: IPCError) {
        (outcome, self.id, application) = (.timedOut, id, "")
        (changeCount, reply, attempts, errorName) = (nil, [], 0, nil)
        (errorCode, errorMessage) = (Self.connectionLost, error.message)
    }

    /// The error code of a request whose outcome is unknown, because the connection was lost.
    package static let connectionLost = "connection-lost"

    /// Whether the request was cancelled by a caller, not by its handler or the handler's user.
    package var isCalledOff: Bool { outcome == .cancelled && errorCode == Outcome.calledOffCode }

    /// Whether the handler accepted the request: `handled`, or `delivered` to a program that cannot answer.
    public var isHandled: Bool { outcome == .handled || outcome == .delivered }
}
