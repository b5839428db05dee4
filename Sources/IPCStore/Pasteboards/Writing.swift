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
        let entries = try session.entries(of: items, promises: options.promises)
        var call: RepeatableCall?
        if let id = options.id {
            let arguments = ArgumentsDigest(name, kind, entries, options)
            if let known = try session.known(id, kind, arguments.digest, at: now) { return known.result }
            call = RepeatableCall(id: id, kind: kind, arguments: arguments.digest)
        }
        var board = try session.board(name, toBeWrittenBy: kind, options)
        let addition = VersionAddition(entries, items: items, options)
        if kind == .setItems, let oldest = session.overwritable(board, by: addition) {
            let count = try session.overwrite(oldest, of: board, with: addition, items, at: now)
            try call.map { try session.remember($0, result: count, board.area, at: now) }
            return count
        }
        let version = try session.nextVersion(of: board, kind, addition, at: now)
        try session.append(version, to: &board)
        if kind == .setItems { session.remember(version, board.area, entries, items) }
        // No digest of what is sensitive reaches the disk either.
        let area = version.isSensitive ? .volatile : board.area
        try call.map { try session.remember($0, result: version.changeCount, area, at: now) }
        return version.changeCount
    }
}

extension StoreSession {
    /// The pasteboard that a call is to change, which has to be at the expected change count.
    ///
    /// A pasteboard whose row is damaged is made anew by a call that replaces everything anyway.
    func board(
        _ name: PasteboardName, toBeWrittenBy kind: OperationKind, _ options: WriteOptions
    ) throws -> Board {
        do {
            let board = try existingBoard(name)
            if let expected = options.ifChangeCount, expected != board.changeCount {
                throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
            }
            return board
        } catch PasteboardError.damaged where kind != .addItems && options.ifChangeCount == nil {
            return try makeAnew(name, options.source)
        }
    }

    private func makeAnew(_ name: PasteboardName, _ source: Source) throws -> Board {
        let area: Area = try find(name, .volatile) == nil ? .persistent : .volatile
        guard let found = try find(name, area) else { throw PasteboardError.noSuchPasteboard(name) }
        try transaction.write("DELETE FROM @.pasteboard WHERE id = ?", area, [.number(found.id)])
        transaction.onUndo { [self, boardCount] in self.boardCount = boardCount }
        boardCount -= 1
        usage.refund(Usage(pasteboards: 1), to: "", area)
        return try createBoard(
            name, area, historyLimit: defaultHistoryLimit, source: source, at: configuration.now())
    }
}
