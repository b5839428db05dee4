internal import IPCModel

struct VersionAddition {
    var entries: [RepresentationEntry]
    let itemCount: Int
    let isSensitive: Bool
    let options: WriteOptions

    init(_ entries: [RepresentationEntry], items: [PasteboardItem], _ options: WriteOptions) {
        (self.entries, self.options) = (entries, options)
        itemCount = max(items.count, options.promises.count)
        isSensitive =
            options.isSensitive || items.contains(where: \.isMarkedSensitive)
            || options.promises.isMarkedSensitive
    }

    var byteCount: UInt64 { entries.reduce(0) { $0 + $1.row.size } }
    var promiseCount: Int { options.promises.reduce(0) { $0 + $1.count } }
    var hasPromises: Bool { promiseCount > 0 }
}

struct VersionComposer {
    let session: StoreSession

    /// Writes the content of the next version, in memory if it is sensitive; the caller writes the row. If `base` or
    /// the addition is sensitive or for one reader, so is the version. It expires as soon as either of them would.
    func next(
        on base: VersionRow?, of board: Board, _ addition: VersionAddition, at now: UInt64
    ) throws -> VersionRow {
        if let base { session.deadlines.note(base) }
        return try compose(try session.counter.take(), on: base, of: board, addition, at: now)
    }

    /// Writes the content of the first version, whose change count is that of the pasteboard itself.
    func first(of board: Board, _ addition: VersionAddition, at now: UInt64) throws -> VersionRow {
        try compose(board.id, on: nil, of: board, addition, at: now)
    }

    private func compose(
        _ count: UInt64, on base: VersionRow?, of board: Board, _ addition: VersionAddition, at now: UInt64
    ) throws -> VersionRow {
        try session.limits.check(addition, on: base, board)
        var version = VersionRow(
            changeCount: count, pasteboard: board.id, source: addition.options.source, time: now)
        let first = base.map(session.contents.extent) ?? Contents.Extent()
        guard first.items + addition.itemCount > 0 else { return version }
        if addition.isSensitive || base?.isSensitive == true {
            version.flags = [.sensitive, .once]
        } else if addition.options.isOnce || base?.isOnce == true {
            version.flags = .once
        }
        try limitLife(of: &version, addition.options.timeToLive, base, at: now)
        if version.isSensitive {
            try keepSensitive(addition, on: base, first, version, board)
        } else {
            try write(addition, on: base, first, to: &version, board.area)
        }
        return version
    }

    /// Sets when a version expires, by the earliest of these times: the end of its time-to-live, the expiry of `base`,
    /// to which it adds items, and, if it is sensitive, the end of `sensitive-milliseconds`.
    private func limitLife(
        of version: inout VersionRow, _ timeToLive: UInt64?, _ base: VersionRow?, at now: UInt64
    ) throws {
        let secret = version.isSensitive ? session.configuration.limits.sensitiveMilliseconds : nil
        guard timeToLive != nil || secret != nil || base?.expiresAt != nil else { return }
        let uptime = session.configuration.uptime()
        let inherited = base.flatMap { session.deadlines[$0.changeCount] }.map { $0 - min($0, uptime) }
        let left = min(timeToLive ?? Self.longestLife, secret ?? .max, inherited ?? .max, Self.longestLife)
        version.expiresAt = now + left
        session.deadlines.set(uptime + left, of: version.changeCount)
    }

    /// 2^42 milliseconds, or 139 years. Sums that include it still fit in a row.
    private static let longestLife: UInt64 = 1 << 42

    private func write(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Contents.Extent, to version: inout VersionRow,
        _ area: Area
    ) throws {
        if let base {
            (version.content, version.writer) = (base.content, base.writer)
            (version.items, version.representations, version.bytes) = (first.items, first.representations, first.bytes)
        }
        if version.content == 0, !addition.entries.isEmpty { version.content = version.changeCount }
        if addition.hasPromises {
            version.writer = promisers(addition, on: base, first, version).text
        }
        try session.contents.write(renumbered(addition.entries, from: first.items), to: &version, area)
        version.items += addition.itemCount
    }

    private func keepSensitive(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Contents.Extent, _ version: VersionRow,
        _ board: Board
    ) throws {
        var entries = try base.map { try session.contents.entries(of: $0, board.name, board.area) } ?? []
        entries += renumbered(addition.entries, from: first.items)
        let content = try SensitiveContent(
            entries, items: first.items + addition.itemCount,
            promisers: promisers(addition, on: base, first, version))
        session.sensitive.set(content, of: version)
    }

    private func promisers(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Contents.Extent, _ version: VersionRow
    ) -> Promisers {
        var promisers = base.map { session.contents.promisers(of: $0) } ?? Promisers()
        guard addition.hasPromises else { return promisers }
        promisers.parts.append(
            Promisers.Part(
                first: first.representations, changeCount: version.changeCount, writer: addition.options.writer))
        return promisers
    }

    private func renumbered(_ entries: [RepresentationEntry], from first: Int) -> [RepresentationEntry] {
        guard first > 0 else { return entries }
        return entries.map { RepresentationEntry(row: $0.row.numbered(first + $0.row.item), value: $0.value) }
    }
}
