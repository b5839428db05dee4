internal import IPCDBus
internal import IPCModel

extension Limits {
    /// The bytes of the longest message that is kept: beside its values it never has as much again.
    var longestMessage: Int { min(2 * Int(clamping: inlineMessageBytes) + (1 << 20), MessageError.longestMessage) }

    /// The limit that a call exceeds before its handler sees it.
    func exceeded(by refusal: CallRefusal) -> LimitExceeded {
        switch refusal {
        case .tooLong(let bytes):
            LimitExceeded(
                limit: "inline-message-bytes", use: 0, request: UInt64(bytes), allowed: inlineMessageBytes)
        case .overShare(let bytes):
            LimitExceeded(
                limit: "arriving-bytes", use: arrivingBytes / 2, request: UInt64(bytes), allowed: arrivingBytes / 2)
        case .tooManyCalls(let count):
            LimitExceeded(limit: "direct-calls", use: UInt64(count), request: 1, allowed: UInt64(count))
        case .tooManyDescriptors(let count):
            LimitExceeded(
                limit: "descriptors-per-message", use: 0, request: UInt64(count), allowed: descriptorsPerMessage)
        case .noDescriptors: LimitExceeded(limit: "descriptors", use: descriptors, request: 1, allowed: descriptors)
        }
    }
}
