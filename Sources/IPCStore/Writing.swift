package import IPCModel

/// What a writer can ask for besides its items.
package struct WriteOptions: Sendable, Hashable {
    /// Who writes.
    package var source: Source
    /// The change count that the pasteboard has to be at; `PasteboardError.changeCountMismatch` where it is not.
    package var ifChangeCount: UInt64?
    /// The id of the call, where it may be repeated.
    package var id: RequestID?

    package init(
        source: Source = Source(application: "", strength: .unknown), ifChangeCount: UInt64? = nil,
        id: RequestID? = nil
    ) {
        (self.source, self.ifChangeCount, self.id) = (source, ifChangeCount, id)
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
        let rows = session.rows(of: items, first: 0)
        var call: RepeatableCall?
        if let id = options.id {
            let arguments = ArgumentsDigest(name, kind, rows, options)
            if let known = try session.known(id, kind, arguments.digest, at: now) { return known.result }
            call = RepeatableCall(id: id, kind: kind, arguments: arguments.digest)
        }
        var board = try session.board(name, toBeWrittenBy: kind, expected: options.ifChangeCount)
        var version = try session.nextVersion(of: board, kind, rows, options.source, at: now)
        if version.content == 0, !rows.isEmpty { version.content = version.changeCount }
        try session.write(renumbered(rows, from: version.items), to: &version, board.area)
        try session.append(version, to: &board)
        try call.map { try session.remember($0, result: version.changeCount, board.area, at: now) }
        return version.changeCount
    }

    private func renumbered(
        _ rows: [[(RepresentationRow, Representation)]], from first: Int
    ) -> [[(RepresentationRow, Representation)]] {
        guard first > 0 else { return rows }
        return rows.enumerated().map { index, item in
            item.map { ($0.0.numbered(first + index), $0.1) }
        }
    }
}

extension StoreSession {
    /// The pasteboard that a call is to change, which has to be at the expected change count.
    ///
    /// A pasteboard whose row is damaged is made anew by a call that replaces everything anyway.
    func board(
        _ name: PasteboardName, toBeWrittenBy kind: OperationKind, expected: UInt64?
    ) throws -> Board {
        do {
            let board = try existingBoard(name)
            if let expected, expected != board.changeCount {
                throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
            }
            return board
        } catch PasteboardError.damaged where kind != .addItems && expected == nil {
            return try makeAnew(name)
        }
    }

    private func makeAnew(_ name: PasteboardName) throws -> Board {
        let area: Area = try find(name, .volatile) == nil ? .persistent : .volatile
        guard let found = try find(name, area) else { throw PasteboardError.noSuchPasteboard(name) }
        try write("DELETE FROM @.pasteboard WHERE id = ?", area, [.number(found.id)])
        undo.append(.boards(boardCount))
        boardCount -= 1
        return try createBoard(name, area, historyLimit: defaultHistoryLimit, at: configuration.now())
    }

    /// The version that follows the current one, before its new representations are written.
    func nextVersion(
        of board: Board, _ kind: OperationKind, _ rows: [[(RepresentationRow, Representation)]], _ source: Source,
        at now: UInt64
    ) throws -> VersionRow {
        var base: VersionRow?
        if kind == .addItems {
            base = try version(board.changeCount, of: board.name, board.area)
            if base == nil { throw PasteboardError.damaged(board.name, board.changeCount) }
        }
        try check(rows, on: base)
        var version = VersionRow(
            changeCount: try nextChangeCount(), pasteboard: board.id, source: source, time: now)
        if let base {
            (version.content, version.items) = (base.content, base.items)
            (version.representations, version.bytes) = (base.representations, base.bytes)
        }
        return version
    }

    /// Checks that a version fits one message with what is added to it.
    private func check(_ rows: [[(RepresentationRow, Representation)]], on base: VersionRow?) throws {
        let added = rows.joined()
        let limits = configuration.limits
        do {
            try limits.check(\.itemsPerVersion, use: UInt64(base?.items ?? 0), request: UInt64(rows.count))
            try limits.check(
                \.representationsPerVersion, use: UInt64(base?.representations ?? 0), request: UInt64(added.count))
            try limits.check(
                \.inlineMessageBytes, use: base?.bytes ?? 0, request: added.reduce(0) { $0 + $1.0.size })
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }
}
