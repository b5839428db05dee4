package import IPCModel

package enum RequestError: Condition, Hashable {
    /// No request has this id, or its record was forgotten.
    case noSuchRequest(RequestID)
    /// The id has already been used for a request with different arguments.
    case identifierReused(RequestID)
    /// The operation is possible only after the request has ended.
    case notEnded(RequestID)
    /// The operation is possible only before the request has ended.
    case hasEnded(RequestID)
    /// The handler took the request, so there is nothing to retry.
    case wasTaken(RequestID, Outcome)
    case payloadGone(RequestID)
    /// The stored payload of the request fails its checksum.
    case damagedPayload(RequestID)
    /// A secret, or content for one reader only, cannot be stored with a request.
    case notToBeKept

    package var ipcError: IPCError { IPCError(code, sentence) }

    private var code: IPCError.Code {
        switch self {
        case .noSuchRequest: .noSuchRequest
        case .identifierReused, .notEnded, .hasEnded, .notToBeKept: .invalidArguments
        case .wasTaken, .payloadGone: .noSuchItem
        case .damagedPayload: .inputOutput
        }
    }

    private var sentence: String {
        switch self {
        case .noSuchRequest(let id):
            "there is no request \(id.text.quoted), or its record is no longer kept"
        case .identifierReused(let id):
            "the id \(id.text.quoted) was used for a request with other arguments; choose a new one"
        case .notEnded(let id):
            "the request \(id.text.quoted) has not ended; cancel it first, or wait for it to end"
        case .hasEnded(let id):
            "the request \(id.text.quoted) has ended already"
        case .wasTaken(let id, let outcome):
            "the request \(id.text.quoted) was \(outcome.rawValue), so there is nothing left to retry"
        case .payloadGone(let id):
            "the payload of the request \(id.text.quoted) is no longer kept; open the URL again"
        case .damagedPayload(let id):
            "the payload of the request \(id.text.quoted) is damaged on disk"
        case .notToBeKept:
            "the items are secret or can be read only once, but a queued request would store them on disk; "
                + Advice.leaveOutQueue.rawValue
        }
    }
}
