public import IPC
public import Programs

/// What came of a request: the server's answer, or why there is none.
///
/// On its way from the relay it is two items: the data, so that `ipc-client call` prints just them, and the rest as JSON.
public struct ResponseParameters: Sendable, Hashable, Codable {
    /// The status code of HTTP; `nil` where the server gave none.
    public var statusCode: UInt16?
    /// What went wrong, as a word for programs; `nil` where nothing did.
    public var errorCode: String?
    /// What went wrong, as a sentence for people; `nil` where nothing did.
    public var errorMessage: String?
    /// The length that the server has announced (RFC 9110 §8.6); `nil` where it has not.
    public var contentLength: Int?
    /// The bytes that came, all of them or not.
    public var rawData: [UInt8] = []

    private enum CodingKeys: String, CodingKey {
        case statusCode = "status-code"
        case errorCode = "error-code"
        case errorMessage = "error-message"
        case contentLength = "content-length"
    }

    /// Makes the answer of a server.
    public init(statusCode: UInt16?, rawData: [UInt8] = [], contentLength: Int? = nil) {
        (self.statusCode, self.rawData, self.contentLength) = (statusCode, rawData, contentLength)
    }

    /// Throws what went wrong, if anything did.
    public func check() throws(ServerFailure) {
        guard let errorMessage else { return }
        throw ServerFailure(statusCode: statusCode, code: errorCode ?? "failed", message: errorMessage)
    }
}

/// Why there is no answer that could be used.
public struct ServerFailure: HandlerError, ExitCodeError, Sendable, Hashable, CustomStringConvertible {
    /// The status code, where the server gave one.
    public let statusCode: UInt16?
    /// A word for programs: `connect-timeout`, `read-timeout`, `not-connected`, `cut-off`, `status-404`, …; the name of a
    /// refusal, such as `NoHandler`, where the relay was not reached.
    public let code: String
    /// A sentence for people.
    public let message: String

    public var description: String { message }

    /// As of the tools: 68 where no relay runs, 75 where trying again may help, 70 where the server or its answer is bad.
    public var exitCode: Int32 {
        if ["connect-timeout", "read-timeout", "timed-out"].contains(code) { return 75 }
        return IPCError.Code(rawValue: code)?.exitCode ?? 70
    }
}

extension ResponseParameters {
    /// As the relay replies.
    public func items(type: ContentType) throws(IPCError) -> [PasteboardItem] {
        [.data(rawData, type: type), try .value(self)]
    }

    /// Of a reply of the relay.
    init(_ reply: CallReply) throws {
        guard reply.items.count == 2, var response = try reply.value(ResponseParameters.self, item: 1) else {
            throw IPCError(
                .payloadInvalid, "the reply is none of a relay: is another program registered for its scheme?")
        }
        response.rawData = reply.data ?? []
        self = response
    }

    /// Of a call that brought no reply.
    init(_ failure: CallFailure) {
        self.init(statusCode: nil)
        (errorCode, errorMessage) = (failure.code, failure.description)
    }
}
