package import IPCModel

package struct WriteOptions: Sendable, Hashable {
    package var source: Source
    /// The change count that the pasteboard must have; otherwise, `PasteboardError.changeCountMismatch` is thrown.
    package var ifChangeCount: UInt64?
    /// The id of the call, if it may be repeated.
    package var id: RequestID?
    /// Milliseconds after which an empty version replaces this one; `nil` for never.
    package var timeToLive: UInt64?
    /// Whether the content is kept only in memory, for at most `sensitive-milliseconds` and for one reader. Also true
    /// if an item or a promise is marked as sensitive (``PasteboardItem/isMarkedSensitive``).
    package var isSensitive = false
    /// Whether the first reader of the content consumes it.
    package var isOnce = false
    /// The promised types of each item, besides its representations. Extra elements create items with promises only.
    package var promises: [[ContentType]] = []
    /// The connection that fulfils the promises: the connection's unique name, `@`, and the id of its bus.
    package var writer = ""
    /// Whether a missing pasteboard is created as persistent (true) or in memory (false); `nil` if it is not created.
    package var createsPersistent: Bool?

    package init(
        source: Source = .nobody, ifChangeCount: UInt64? = nil, id: RequestID? = nil, timeToLive: UInt64? = nil,
        isSensitive: Bool = false, isOnce: Bool = false, promises: [[ContentType]] = [], writer: String = "",
        createsPersistent: Bool? = nil
    ) {
        (self.source, self.ifChangeCount, self.id) = (source, ifChangeCount, id)
        (self.timeToLive, self.isSensitive, self.isOnce) = (timeToLive, isSensitive, isOnce)
        (self.promises, self.writer, self.createsPersistent) = (promises, writer, createsPersistent)
    }
}

extension StoreTransaction {
    /// Replaces the items of a pasteboard, and returns the new change count. A repeated call (same id, same arguments)
    /// changes nothing, and returns the change count of the first call.
    package func setItems(
        _ items: [PasteboardItem], on name: PasteboardName, _ options: WriteOptions = WriteOptions()
    ) throws -> UInt64 {
        try change(name, .setItems, items, options)
    }

    /// Adds items after those of the current version, and returns the new change count.
    package func addItems(
        _ items: [PasteboardItem], to name: PasteboardName, _ options: WriteOptions = WriteOptions()
    ) throws -> UInt64 {
        try change(name, .addItems, items, options)
    }

    /// Makes an empty version the current one, and returns the new change count.
    package func clear(_ name: PasteboardName, _ options: WriteOptions = WriteOptions()) throws -> UInt64 {
        try change(name, .clear, [], options)
    }

    private func change(
        _ name: PasteboardName, _ kind: RepeatableCall.Kind, _ items: [PasteboardItem], _ options: WriteOptions
    ) throws -> UInt64 {
        let entries = try RepresentationEntry.all(of: items, promises: options.promises)
        let call = options.id.map { RepeatableCall($0, kind, name, entries, options) }
        if let call, let known = try session.calls.known(call) { return known.result }
        let addition = VersionAddition(entries, items: items, options)
        guard let board = try board(name, toBeWrittenBy: kind, options) else {
            return try create(name, addition, call)
        }
        if kind == .setItems,
            let count = try Overwriting(session: session).write(addition, items, on: board, at: now)
        {
            try call.map { try session.calls.remember($0, result: count, board.area) }
            return count
        }
        let version = try append(addition, to: board, kind)
        if kind == .setItems { session.known.keep(version, board.area, entries, items) }
        // Not even the digest of a secret may reach the disk.
        let area = version.isSensitive ? .volatile : board.area
        try call.map { try session.calls.remember($0, result: version.changeCount, area) }
        return version.changeCount
    }

    /// Creates a pasteboard with its first items, as a single change.
    private func create(
        _ name: PasteboardName, _ addition: VersionAddition, _ call: RepeatableCall?
    ) throws -> UInt64 {
        let area: Area = addition.options.createsPersistent ?? true ? .persistent : .volatile
        let (composer, now) = (VersionComposer(session: session), now)
        let board = try createPasteboard(name, area, source: addition.options.source) { board in
            try composer.first(of: board, addition, at: now)
        }
        try call.map {
            try session.calls.remember($0, result: board.changeCount, addition.isSensitive ? .volatile : area)
        }
        return board.changeCount
    }

    private func append(
        _ addition: VersionAddition, to board: Board, _ kind: RepeatableCall.Kind
    ) throws -> VersionRow {
        var (board, base) = (board, nil as VersionRow?)
        if kind == .addItems {
            base = try session.versions.version(board.changeCount, of: board.name, board.area)
            if base == nil { throw PasteboardError.damaged(board.name, board.changeCount) }
        }
        let version = try VersionComposer(session: session).next(on: base, of: board, addition, at: now)
        try session.histories.append(version, to: &board)
        return version
    }

    /// The pasteboard that a call writes to, after a check that it has the expected change count; `nil` if it does not
    /// exist and the call must create it. If the pasteboard's row is damaged, a call that replaces the whole content
    /// recreates the pasteboard.
    private func board(
        _ name: PasteboardName, toBeWrittenBy kind: RepeatableCall.Kind, _ options: WriteOptions
    ) throws -> Board? {
        do {
            guard let board = try session.histories.board(name) else {
                guard options.createsPersistent != nil, options.ifChangeCount == nil else {
                    throw PasteboardError.noSuchPasteboard(name)
                }
                return nil
            }
            if let expected = options.ifChangeCount, expected != board.changeCount {
                throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
            }
            return board
        } catch PasteboardError.damaged where kind != .addItems && options.ifChangeCount == nil {
            return try session.histories.makeAnew(name, options.source)
        }
    }
}
