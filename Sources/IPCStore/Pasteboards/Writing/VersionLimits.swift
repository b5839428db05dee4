internal import IPCModel

struct VersionLimits {
    let contents: Contents
    let limits: Limits

    func check(_ addition: VersionAddition, on base: VersionRow?, _ board: Board) throws {
        try checkExtent(
            items: addition.itemCount, representations: addition.entries.count,
            beside: base.map(contents.extent) ?? Contents.Extent())
        if addition.hasPromises { try checkPromises(addition.promiseCount, on: base, board.area) }
        let least = min(limits.inlineMessageBytes, limits.valueBytes)
        guard (base.map(contents.extent)?.bytes ?? 0) &+ addition.byteCount > least else { return }
        try checkFit(addition.entries.map(\.row.size), on: base, board.name, board.area)
    }

    func checkExtent(items: Int, representations: Int, beside first: Contents.Extent = Contents.Extent()) throws {
        // Most writes are far from the limits of a version, and need no exact check.
        guard
            UInt64(first.items + items) > limits.itemsPerVersion
                || UInt64(first.representations + representations) > limits.representationsPerVersion
        else { return }
        try limits.check(\.itemsPerVersion, use: UInt64(first.items), request: UInt64(items))
        try limits.check(
            \.representationsPerVersion, use: UInt64(first.representations), request: UInt64(representations))
    }

    private func checkPromises(_ added: Int, on base: VersionRow?, _ area: Area) throws {
        let present = try base.map { try contents.promiseCount(of: $0, area) } ?? 0
        try limits.check(\.promisesPerVersion, use: present, request: UInt64(added))
    }

    /// Checks that values of the sizes `added` fit in one message, together with those of the version `base`.
    func checkFit(
        _ added: [UInt64], on base: VersionRow? = nil, _ name: PasteboardName = .general, _ area: Area = .volatile
    ) throws {
        // Small values always fit, so the sizes of the existing ones need not be read.
        let bytes = added.reduce(base.map(contents.extent)?.bytes ?? 0) { $0 &+ $1 }
        let least = min(limits.inlineMessageBytes, limits.valueBytes)
        guard bytes > least || added.contains(where: { $0 > least }) else { return }
        let present = try base.map { try contents.heads(of: $0, name, area).map(\.size) } ?? []
        _ = try limits.messageFit(present + added, present: present.count)
    }
}
