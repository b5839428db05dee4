package import IPCModel

/// What a writer can ask for besides its items.
package struct WriteOptions: Sendable, Hashable {
    /// Who writes.
    package var source: Source
    /// The change count that the pasteboard has to be at; `PasteboardError.changeCountMismatch` where it is not.
    package var ifChangeCount: UInt64?
    /// The id of the call, where it may be repeated.
    package var id: RequestID?
    /// Milliseconds after which the version ends, nil for never: it is replaced by an empty one.
    package var timeToLive: UInt64?
    /// Whether the content is kept in memory alone, for `sensitive-milliseconds` at most and for one reader; also where
    /// an item or a promise says so itself (``PasteboardItem/isMarkedSensitive``).
    package var isSensitive = false
    /// Whether the first reader of the content consumes it.
    package var isOnce = false
    /// The types that are promised for each item, besides its representations; rows beyond the items make items of
    /// promises alone.
    package var promises: [[ContentType]] = []
    /// Who promises: the unique name of the connection, `@` and the id of its bus.
    package var writer = ""

    package init(
        source: Source = .nobody, ifChangeCount: UInt64? = nil, id: RequestID? = nil, timeToLive: UInt64? = nil,
        isSensitive: Bool = false, isOnce: Bool = false, promises: [[ContentType]] = [], writer: String = ""
    ) {
        (self.source, self.ifChangeCount, self.id) = (source, ifChangeCount, id)
        (self.timeToLive, self.isSensitive, self.isOnce) = (timeToLive, isSensitive, isOnce)
        (self.promises, self.writer) = (promises, writer)
    }
}

extension StoreTransaction {
    /// Replaces the items of a pasteboard, and gives the new change count.
    ///
    /// A repeated call (the same id, the same arguments) changes nothing and gives the change count of the first.
    package func setItems(
        _ items: [PasteboardItem], on name: PasteboardName, _ options: WriteOptions = WriteOptions()
    ) throws -> UInt64 {
        try change(name, .setItems, items, options)
    }

    /// Adds items behind those of the current version, and gives the new change count.
    package func addItems(
        _ items: [PasteboardItem], to name: PasteboardName, _ options: WriteOptions = WriteOptions()
    ) throws -> UInt64 {
        try change(name, .addItems, items, options)
    }

    /// Makes a version without items the current one, and gives the new change count.
    package func clear(_ name: PasteboardName, _ options: WriteOptions = WriteOptions()) throws -> UInt64 {
        try change(name, .clear, [], options)
    }

    private func change(
        _ name: PasteboardName, _ kind: OperationKind, _ items: [PasteboardItem], _ options: WriteOptions
    ) throws -> UInt64 {
        let entries = try RepresentationEntry.all(of: items, promises: options.promises)
        var call: RepeatableCall?
        if let id = options.id {
            let arguments = ArgumentsDigest(name, kind, entries, options)
            if let known = try session.calls.known(id, kind, arguments.digest) { return known.result }
            call = RepeatableCall(id: id, kind: kind, arguments: arguments.digest)
        }
        let board = try board(name, toBeWrittenBy: kind, options)
        let addition = VersionAddition(entries, items: items, options)
        if kind == .setItems, let count = try session.overwriting.write(addition, items, on: board, at: now) {
            try call.map { try session.calls.remember($0, result: count, board.area) }
            return count
        }
        let version = try append(addition, to: board, kind)
        if kind == .setItems { session.known.keep(version, board.area, entries, items) }
        // No digest of what is sensitive reaches the disk either.
        let area = version.isSensitive ? .volatile : board.area
        try call.map { try session.calls.remember($0, result: version.changeCount, area) }
        return version.changeCount
    }

    private func append(_ addition: VersionAddition, to board: Board, _ kind: OperationKind) throws -> VersionRow {
        var (board, base) = (board, nil as VersionRow?)
        if kind == .addItems {
            base = try session.versions.version(board.changeCount, of: board.name, board.area)
            if base == nil { throw PasteboardError.damaged(board.name, board.changeCount) }
        }
        let version = try session.composer.next(on: base, of: board, addition, at: now)
        try session.histories.append(version, to: &board)
        return version
    }

    /// The pasteboard that a call is to change, which has to be at the expected change count.
    ///
    /// A pasteboard whose row is damaged is made anew by a call that replaces everything anyway.
    private func board(
        _ name: PasteboardName, toBeWrittenBy kind: OperationKind, _ options: WriteOptions
    ) throws -> Board {
        do {
            let board = try session.histories.existing(name)
            if let expected = options.ifChangeCount, expected != board.changeCount {
                throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
            }
            return board
        } catch PasteboardError.damaged where kind != .addItems && options.ifChangeCount == nil {
            return try session.histories.makeAnew(name, options.source)
        }
    }
}
