internal import IPCModel

/// What a write adds to a pasteboard.
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

extension StoreSession {
    /// The version that follows the current one, with its content written or, where it is sensitive, kept in memory.
    ///
    /// A version that adds to another one inherits the stricter of both: sensitive, for one reader, the earlier end.
    func nextVersion(
        of board: Board, _ kind: OperationKind, _ addition: VersionAddition, at now: UInt64
    ) throws -> VersionRow {
        var base: VersionRow?
        if kind == .addItems {
            base = try version(board.changeCount, of: board.name, board.area)
            guard let base else { throw PasteboardError.damaged(board.name, board.changeCount) }
            noteEnd(of: base)
        }
        try check(addition, on: base, board)
        var version = VersionRow(
            changeCount: try counter.take(), pasteboard: board.id, source: addition.options.source, time: now)
        let first = base.map(extent) ?? Extent()
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

    /// Sets when a version ends: after its own time-to-live, with the version that it adds to, or as what is sensitive,
    /// whichever is first.
    private func limitLife(
        of version: inout VersionRow, _ timeToLive: UInt64?, _ base: VersionRow?, at now: UInt64
    ) throws {
        let sensitive = version.isSensitive ? configuration.limits.sensitiveMilliseconds : nil
        guard timeToLive != nil || sensitive != nil || base?.expiresAt != nil else { return }
        let uptime = configuration.uptime()
        let inherited = base.flatMap { deadlines[$0.changeCount] }.map { $0 - min($0, uptime) }
        let left = min(timeToLive ?? Self.longestLife, sensitive ?? .max, inherited ?? .max, Self.longestLife)
        version.expiresAt = now + left
        setDeadline(uptime + left, of: version.changeCount)
    }

    /// 2^42 milliseconds, 139 years: sums with it fit a row.
    private static let longestLife: UInt64 = 1 << 42

    private func write(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Extent, to version: inout VersionRow, _ area: Area
    ) throws {
        if let base {
            (version.content, version.writer) = (base.content, base.writer)
            (version.items, version.representations, version.bytes) = (first.items, first.representations, first.bytes)
        }
        if version.content == 0, !addition.entries.isEmpty { version.content = version.changeCount }
        if addition.hasPromises {
            version.writer = promisers(addition, on: base, first, version).text
        }
        try write(renumbered(addition.entries, from: first.items), to: &version, area)
        version.items += addition.itemCount
    }

    private func keepSensitive(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Extent, _ version: VersionRow, _ board: Board
    ) throws {
        var entries = try base.map { try self.entries(of: $0, board.name, board.area) } ?? []
        entries += renumbered(addition.entries, from: first.items)
        let content = try SensitiveContent(
            entries, items: first.items + addition.itemCount,
            promisers: promisers(addition, on: base, first, version))
        try setSensitive(content, of: version)
    }

    private func promisers(
        _ addition: VersionAddition, on base: VersionRow?, _ first: Extent, _ version: VersionRow
    ) -> Promisers {
        var promisers = base.map { self.promisers(of: $0) } ?? Promisers()
        guard addition.hasPromises else { return promisers }
        promisers.append(
            Promisers.Part(
                first: first.representations, changeCount: version.changeCount, writer: addition.options.writer))
        return promisers
    }

    private func renumbered(_ entries: [RepresentationEntry], from first: Int) -> [RepresentationEntry] {
        guard first > 0 else { return entries }
        return entries.map { RepresentationEntry(row: $0.row.numbered(first + $0.row.item), value: $0.value) }
    }
}

// MARK: Limits

extension StoreSession {
    /// How much a version holds, be it in rows or in memory.
    struct Extent {
        var items = 0
        var representations = 0
        var bytes: UInt64 = 0
    }

    func extent(of version: VersionRow) -> Extent {
        guard let content = sensitive[version.changeCount] else {
            return Extent(items: version.items, representations: version.representations, bytes: version.bytes)
        }
        return Extent(
            items: content.itemCount, representations: content.representationCount, bytes: content.byteCount)
    }

    /// Checks that a version has not too much, and fits one message, with what is added to it.
    func check(_ addition: VersionAddition, on base: VersionRow?, _ board: Board) throws {
        try checkExtent(
            items: addition.itemCount, representations: addition.entries.count, beside: base.map(extent) ?? Extent())
        if addition.hasPromises { try checkPromises(addition.promiseCount, on: base, board.area) }
        let least = min(configuration.limits.inlineMessageBytes, configuration.limits.valueBytes)
        guard (base.map(extent)?.bytes ?? 0) &+ addition.byteCount > least else { return }
        try checkFit(addition.entries.map(\.row.size), on: base, board.name, board.area)
    }

    /// Checks that a version has not too many parts with what is added to it.
    func checkExtent(items: Int, representations: Int, beside first: Extent = Extent()) throws {
        let limits = configuration.limits
        guard
            UInt64(first.items + items) > limits.itemsPerVersion
                || UInt64(first.representations + representations) > limits.representationsPerVersion
        else { return }
        do {
            try limits.check(\.itemsPerVersion, use: UInt64(first.items), request: UInt64(items))
            try limits.check(
                \.representationsPerVersion, use: UInt64(first.representations), request: UInt64(representations))
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }

    private func checkPromises(_ added: Int, on base: VersionRow?, _ area: Area) throws {
        let present = try base.map { try promiseCount(of: $0, area) } ?? 0
        do {
            try configuration.limits.check(\.promisesPerVersion, use: present, request: UInt64(added))
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }

    /// Checks that values fit one message together with those that a version has.
    func checkFit(
        _ added: [UInt64], on base: VersionRow? = nil, _ name: PasteboardName = .general, _ area: Area = .volatile
    ) throws {
        // What is small in all fits in any case, without a look at what is there.
        let bytes = added.reduce(base.map(extent)?.bytes ?? 0) { $0 &+ $1 }
        let least = min(configuration.limits.inlineMessageBytes, configuration.limits.valueBytes)
        guard bytes > least || added.contains(where: { $0 > least }) else { return }
        let present = try base.map { try heads(of: $0, name, area).map(\.size) } ?? []
        do {
            _ = try configuration.limits.messageFit(present + added, present: present.count)
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }
}
