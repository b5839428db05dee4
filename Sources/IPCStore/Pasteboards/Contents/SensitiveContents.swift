internal import IPCModel

/// The contents of sensitive versions, by change count. A removed one is wiped when no undo can restore it.
final class SensitiveContents {
    private let transaction: GroupTransaction
    private let usage: UsageTally
    private var contents: [UInt64: SensitiveContent] = [:]

    init(_ transaction: GroupTransaction, _ usage: UsageTally) { (self.transaction, self.usage) = (transaction, usage) }

    subscript(count: UInt64) -> SensitiveContent? { contents[count] }

    /// The versions with promises.
    var promised: [UInt64] { contents.filter { !$0.value.promisers.isEmpty }.map(\.key) }

    /// Keeps the content of a version, or removes it for nil.
    func set(_ content: SensitiveContent?, of version: VersionRow) {
        let (count, source) = (version.changeCount, version.source.application)
        let earlier = contents[count]
        guard content != nil || earlier != nil else { return }
        if let earlier { usage.refund(earlier.usage, to: source, .volatile) }
        if let content { usage.charge(content.usage, to: source, .volatile) }
        transaction.onUndo { [self] in contents[count] = earlier }
        contents[count] = content
    }
}
