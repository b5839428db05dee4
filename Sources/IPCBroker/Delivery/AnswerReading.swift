internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

extension Outcome {
    init?(handlerWord word: String) {
        switch Outcome(rawValue: word) {
        case let outcome? where [.handled, .declined, .cancelled, .failed].contains(outcome): self = outcome
        default: return nil
        }
    }
}

extension RequestEnd {
    /// Reads from a handler's answer how the request ended. Files in the reply are not copied or checked yet.
    init(_ word: String, _ reply: HandlerReply, _ limits: Limits) {
        guard let outcome = Outcome(handlerWord: word) else {
            self = .badReply(
                "the handler answered with the outcome “\(word)”; it must be handled, declined, cancelled or failed")
            return
        }
        let failure = RequestEnd.Failure(
            code: (reply.errorCode ?? "").cut(to: Self.mostCode),
            message: (reply.errorMessage ?? "").cut(to: Self.mostMessage))
        do throws(LimitExceeded) {
            try limits.checkPayload(reply.items ?? [])
            self.init(outcome, attempts: 0, failure: failure, reply: reply.items ?? [])
        } catch {
            // The reply is too large, but the handler has acted on the request: keep the outcome without the reply.
            self.init(
                outcome, code: "reply-too-large",
                because: "the handler's reply is too large for a message and was left out; pass it as descriptors "
                    + "(\(error))")
        }
    }

    init(_ error: CallError) {
        switch error {
        case .remote(let name, let message):
            self.init(.failed, name: name, because: message.cut(to: Self.mostMessage))
        case .badReply(let error): self = .badReply("the handler's answer is malformed: \(error)")
        case .unsendable(let error): self.init(.failed, code: "unsendable", because: error.description)
        case .timedOut, .disconnected, .cancelled:
            self.init(.timedOut, because: "the message bus was lost before the handler answered")
        }
    }

    /// The maximum lengths of the code and the message of a handler's error, in bytes of UTF-8.
    private static let mostCode = 1_024
    private static let mostMessage = 16_384

    static func badReply(_ message: String) -> RequestEnd {
        RequestEnd(.failed, code: "bad-reply", because: message)
    }
}

extension CallError {
    /// Whether the error is an error reply from the handler or the bus.
    var isRemote: Bool { if case .remote = self { true } else { false } }

    /// Whether this may be the error that the bus sends if the called connection has left.
    var mayMeanDeparture: Bool { isRemote(.serviceUnknown) || isRemote(.nameHasNoOwner) || isRemote(.noReply) }
}

extension String {
    /// The longest prefix of whole characters that fits into `most` bytes of UTF-8.
    fileprivate func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        var end = utf8.index(startIndex, offsetBy: most)
        while end > startIndex, Unicode.UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped to the range of `UInt32`.
    var milliseconds: UInt32 {
        UInt32(clamping: max(0, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000))
    }
}
