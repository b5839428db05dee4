/// The reason why a pasteboard operation is rejected.
package enum PasteboardError: Condition, Hashable {
    case noSuchPasteboard(PasteboardName)
    case changeCountMismatch(expected: UInt64, actual: UInt64)
    /// The pasteboard never had this version, or no longer stores it.
    case noSuchVersion(PasteboardName, UInt64)
    case noSuchItem(item: UInt32, count: Int)
    case noSuchRepresentation(item: UInt32, type: String)
    /// The id was already used for a call with different arguments.
    case identifierReused(RequestID)
    /// The pasteboard `general` must always exist.
    case generalCannotBeRemoved
    /// The sandbox with this application id hides the pasteboard from the caller. The id is `nil` if it is unknown.
    case notVisible(PasteboardName, sandbox: String?)
    /// The promised value cannot be fetched: its writer is gone, does not answer, or returned a different type.
    case promiseBroken(item: UInt32, type: String, reason: String)
    /// The stored version fails its checksum.
    case damaged(PasteboardName, UInt64)

    package var ipcError: IPCError {
        switch self {
        case .noSuchPasteboard(let name):
            IPCError(
                .noSuchPasteboard, "there is no pasteboard \(name.text.quoted); \(Advice.makePasteboard.rawValue)")
        case .changeCountMismatch(let expected, let actual):
            IPCError(
                .changeCountMismatch,
                "the pasteboard is at change count \(actual), not \(expected); read it again and retry")
        case .noSuchVersion(let name, let count):
            .noSuch("the pasteboard \(name.text.quoted) has no version \(count); ", .keepMoreVersions)
        case .noSuchItem(let item, let count):
            .noSuch("there is no item \(item); the version has \(count) items, counted from 0")
        case .noSuchRepresentation(let item, let type):
            .noSuch("item \(item) has no representation of the type \(type.quoted)")
        case .identifierReused(let id):
            IPCError(
                .invalidArguments,
                "the id \(id.text.quoted) was used for a call with other arguments; choose a new one")
        case .generalCannotBeRemoved:
            IPCError(.accessDenied, "the pasteboard “general” cannot be removed; clear it instead")
        case .notVisible(let name, let id):
            IPCError(.accessDenied, "the pasteboard \(name.text.quoted) cannot be used \(Self.reason(id))")
        case .promiseBroken(let item, let type, let reason):
            .noSuch(
                "the writer promised \(type.quoted) for item \(item) but cannot provide it: \(reason); "
                    + "name other types to read them")
        case .damaged(let name, let count):
            IPCError(
                .inputOutput,
                "version \(count) of the pasteboard \(name.text.quoted) is damaged on disk; "
                    + "other versions and pasteboards are not affected")
        }
    }

    private static func reason(_ id: String?) -> String {
        guard let id else { return "by a caller that the broker cannot inspect; it may be sandboxed" }
        return "from the sandbox of \(id.quoted); a program in this sandbox can use only pasteboards whose names are "
            + "\(id.quoted) or start with \((id + ".").quoted), and unique ones that it created"
    }
}

extension IPCError {
    fileprivate static func noSuch(_ sentence: String, _ advice: Advice? = nil) -> IPCError {
        IPCError(.noSuchItem, sentence + (advice?.rawValue ?? ""))
    }
}
