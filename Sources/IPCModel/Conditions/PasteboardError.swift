/// The reason why an operation on a pasteboard is refused.
package enum PasteboardError: Condition, Hashable {
    case noSuchPasteboard(PasteboardName)
    case changeCountMismatch(expected: UInt64, actual: UInt64)
    /// The pasteboard never had the version, or no longer keeps it.
    case noSuchVersion(PasteboardName, UInt64)
    case noSuchItem(item: UInt32, count: Int)
    case noSuchRepresentation(item: UInt32, type: String)
    /// The id was used for a call with other arguments.
    case identifierReused(RequestID)
    /// `general` always exists.
    case generalCannotBeRemoved
    /// The sandbox of the caller hides this pasteboard; without an id if the sandbox is not known.
    case notVisible(PasteboardName, sandbox: String?)
    /// The promised value cannot be fetched: its writer has left, does not answer, or gives another type.
    case promiseBroken(item: UInt32, type: String, reason: String)
    /// The stored version fails its checksum.
    case damaged(PasteboardName, UInt64)

    package var ipcError: IPCError { IPCError(code, sentence) }

    private var code: IPCError.Code {
        switch self {
        case .noSuchPasteboard: .noSuchPasteboard
        case .changeCountMismatch: .changeCountMismatch
        case .noSuchVersion, .noSuchItem, .noSuchRepresentation, .promiseBroken: .noSuchItem
        case .identifierReused: .invalidArguments
        case .generalCannotBeRemoved, .notVisible: .accessDenied
        case .damaged: .inputOutput
        }
    }

    private var sentence: String {
        switch self {
        case .noSuchPasteboard(let name):
            "there is no pasteboard \(name.text.quoted); \(Advice.makePasteboard.rawValue)"
        case .changeCountMismatch(let expected, let actual):
            "the pasteboard is at change count \(actual), not \(expected); read it again and retry"
        case .noSuchVersion(let name, let count):
            "the pasteboard \(name.text.quoted) does not hold a version \(count); "
                + Advice.keepMoreVersions.rawValue
        case .noSuchItem(let item, let count):
            "there is no item \(item); the version has \(count), counted from 0"
        case .noSuchRepresentation(let item, let type):
            "the item \(item) has no representation of the type \(type.quoted)"
        case .identifierReused(let id):
            "the id \(id.text.quoted) was used for a call with other arguments; choose a new one"
        case .generalCannotBeRemoved:
            "the pasteboard “general” cannot be removed; clear it instead"
        case .notVisible(let name, .some(let id)):
            "the pasteboard \(name.text.quoted) cannot be used from the sandbox of \(id.quoted); "
                + "it sees those that are named \(id.quoted), or start with \((id + ".").quoted)"
        case .notVisible(let name, nil):
            "the pasteboard \(name.text.quoted) cannot be used by a caller that the broker cannot look at; "
                + "it may be in a sandbox"
        case .promiseBroken(let item, let type, let reason):
            "the writer promised \(type.quoted) for item \(item) and cannot give it: \(reason); "
                + "other types can be read by naming them"
        case .damaged(let name, let count):
            "the version \(count) of the pasteboard \(name.text.quoted) is damaged on the disk; "
                + "other versions and pasteboards are not concerned"
        }
    }
}
