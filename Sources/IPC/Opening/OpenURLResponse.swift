internal import IPCInterface

/// What became of a request to open a URL.
public struct OpenURLResponse: Sendable, Hashable {
    /// How it ended, or `queued`: it is on the disk, and ``Application/wait(for:timeout:)`` tells the end.
    public let outcome: Outcome
    /// The id of the request.
    public let id: String
    /// The application that was to handle it.
    public let application: String
    /// The version of the pasteboard that was set or sent.
    public let changeCount: UInt64?
    /// What the receiver gave back; values above 64 KiB are files.
    public let reply: [PasteboardItem]
    /// How often it was delivered.
    public let attempts: UInt32
    /// The D-Bus error that made it fail, where there was one.
    public let errorName: String?
    /// Why it was not handled, as a word for programs.
    public let errorCode: String?
    /// Why it was not handled, as a sentence for people.
    public let errorMessage: String?

    init(_ result: OpenURLResult) throws(IPCError) {
        try IncomingValues.checkFiles(result.items ?? [])
        outcome = try known(Outcome(rawValue: result.outcome ?? ""), "outcome", result.outcome)
        id = result.id ?? ""
        application = result.application ?? ""
        changeCount = result.changeCount
        reply = result.items ?? []
        attempts = result.attempts ?? 0
        errorName = result.errorName
        errorCode = result.errorCode
        errorMessage = result.errorMessage
    }

    /// Of a request that was sent, and whose broker has not come back to tell its end: its receiver may have done it.
    init(unknownEndOf id: String, _ error: IPCError) {
        (outcome, self.id, application) = (.timedOut, id, "")
        (changeCount, reply, attempts, errorName) = (nil, [], 0, nil)
        (errorCode, errorMessage) = (Self.connectionLost, error.message)
    }

    /// The error code of a request whose end could not be asked for.
    package static let connectionLost = "connection-lost"

    /// Whether somebody called it off, as opposed to a receiver that has broken it off by itself or for its user.
    package var isCalledOff: Bool { outcome == .cancelled && errorCode == Outcome.calledOffCode }

    /// Whether the receiver took it: `handled`, or `delivered` to a program that cannot answer.
    public var isHandled: Bool { outcome == .handled || outcome == .delivered }
}
