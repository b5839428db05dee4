public import IPC
public import Programs

/// The result of a request: the server's response, or the reason why there is none.
///
/// The relay replies with two items: the data alone, so that `ipc-client call` prints only that, and the rest as JSON.
public struct ResponseParameters: Sendable, Hashable, Codable {
    /// The HTTP status code; `nil` if the server sent none.
    public var statusCode: UInt16?
    /// The error code, a word for programs; `nil` if nothing went wrong.
    public var errorCode: String?
    /// The error message, a sentence for people; `nil` if nothing went wrong.
    public var errorMessage: String?
    /// The content length that the server announced (RFC 9110 §8.6); `nil` if it announced none.
    public var contentLength: Int?
    /// The received bytes, complete or not.
    public var rawData: [UInt8] = []

    private enum CodingKeys: String, CodingKey {
        case statusCode = "status-code"
        case errorCode = "error-code"
        case errorMessage = "error-message"
        case contentLength = "content-length"
    }

    /// Creates the result for a server's response.
    public init(statusCode: UInt16?, rawData: [UInt8] = [], contentLength: Int? = nil) {
        (self.statusCode, self.rawData, self.contentLength) = (statusCode, rawData, contentLength)
    }

    /// Throws an error if anything went wrong.
    public func check() throws(ServerFailure) {
        guard let errorMessage else { return }
        throw ServerFailure(statusCode: statusCode, code: errorCode ?? "failed", message: errorMessage)
    }

    /// The form in the response.
    /// - Throws: ``ServerFailure`` if anything went wrong; ``EndedForm/Flaw`` if the form is malformed or incomplete.
    public var form: EndedForm {
        get throws {
            try check()
            return try EndedForm(rawData, contentLength: contentLength)
        }
    }
}

/// The reason why there is no usable answer.
public struct ServerFailure: HandlerError, ExitCodeError, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status code; `nil` if the server sent none.
    public let statusCode: UInt16?
    /// A word for programs: `connect-timeout`, `read-timeout`, `not-connected`, `cut-off`, `status-404`, …; if the
    /// relay was not reached, the name of the broker's error, such as `NoHandler`.
    public let code: String
    /// A sentence for people.
    public let message: String

    public var description: String { message }

    /// As in the tools: 68 if no relay is running, 75 if a retry may succeed, 70 if the server or its answer is faulty.
    public var exitCode: Int32 {
        if ["connect-timeout", "read-timeout", "timed-out"].contains(code) { return 75 }
        return IPCError.Code(rawValue: code)?.exitCode ?? 70
    }
}

extension ResponseParameters {
    /// Returns the items of the relay's reply.
    public func items(type: ContentType) throws(IPCError) -> [PasteboardItem] {
        [.data(rawData, type: type), try .value(self)]
    }

    /// Reads the reply of the relay.
    init(_ reply: CallReply) throws {
        guard reply.items.count == 2, var response = try reply.value(ResponseParameters.self, item: 1) else {
            throw IPCError(
                .payloadInvalid, "the reply does not come from a relay: is another program registered for its scheme?")
        }
        response.rawData = reply.data ?? []
        self = response
    }

    /// Describes a call that failed without a reply.
    init(_ failure: CallFailure) {
        self.init(statusCode: nil)
        let hasRelay = failure.code != IPCError.Code.noHandler.rawValue
        errorCode = failure.code
        errorMessage = hasRelay ? failure.description : "no relay is running; start http-relay in another terminal"
    }
}
