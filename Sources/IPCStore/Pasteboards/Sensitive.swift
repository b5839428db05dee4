internal import IPCModel

extension SensitiveContent {
    /// What the version is charged with, in memory.
    var usage: Usage { Usage(items: UInt64(itemCount), bytes: byteCount) }
}

extension StoreSession {
    /// Keeps the content of a sensitive version, or lets go of it; it is wiped when that can no more be taken back.
    func setSensitive(_ content: SensitiveContent?, of version: VersionRow) throws {
        let (count, source) = (version.changeCount, version.source.application)
        let earlier = sensitive[count]
        guard content != nil || earlier != nil else { return }
        if let earlier { usage.refund(earlier.usage, to: source, .volatile) }
        if let content { usage.charge(content.usage, to: source, .volatile) }
        transaction.onUndo { [self] in sensitive[count] = earlier }
        sensitive[count] = content
    }

    /// The representations of a version with their values, to be held in memory.
    func entries(of version: VersionRow, _ name: PasteboardName, _ area: Area) throws -> [RepresentationEntry] {
        if version.isSensitive { return sensitive[version.changeCount]?.entries ?? [] }
        return try heads(of: version, name, area).enumerated().map { ordinal, row in
            let value: Representation.Value? =
                switch row.kind {
                case RepresentationRow.promise: nil
                case RepresentationRow.fileKind: .file(try heldFile(ordinal, of: version, name, area))
                default: try self.value(ordinal, of: version, name, area)
                }
            return RepresentationEntry(row: row, value: value)
        }
    }

    /// A file of a version as the store holds it in memory; `InvalidArguments` where it is on the disk, from where no
    /// operation can copy it.
    private func heldFile(
        _ ordinal: Int, of version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> ContentFile {
        guard area == .volatile else {
            throw IPCError(
                .invalidArguments,
                "a secret cannot be added to a version with large values on the disk; use another pasteboard, or set all"
                    + " items anew")
        }
        guard let file = files.inMemory[ContentKeys(content: version.content).number(ordinal)] else {
            throw PasteboardError.damaged(name, version.changeCount)
        }
        return file
    }
}
