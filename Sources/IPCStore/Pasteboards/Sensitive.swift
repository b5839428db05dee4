internal import IPCModel

extension SensitiveContent {
    /// What the version is charged with, in memory.
    var usage: Usage { Usage(items: UInt64(itemCount), bytes: byteCount) }
}

/// What sensitive versions hold, by change count; it is wiped when its removal can no more be taken back.
final class SensitiveContents {
    private let transaction: GroupTransaction
    private let usage: UsageTally
    private var contents: [UInt64: SensitiveContent] = [:]

    init(_ transaction: GroupTransaction, _ usage: UsageTally) { (self.transaction, self.usage) = (transaction, usage) }

    subscript(count: UInt64) -> SensitiveContent? { contents[count] }

    /// The versions of which something is promised.
    var promised: [UInt64] { contents.filter { !$0.value.promisers.isEmpty }.map(\.key) }

    /// Keeps the content of a version, or lets go of it.
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
