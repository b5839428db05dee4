package import IPCModel

extension StoreTransaction {
    /// Creates an empty pasteboard with its own change count. Does nothing if the pasteboard exists.
    /// - Throws: `LimitExceeded` if there are already as many pasteboards as allowed, in total or for this source.
    package func createPasteboard(
        _ name: PasteboardName, persistent: Bool, source: Source = .nobody
    ) throws -> (pasteboard: Board, isNew: Bool) {
        if let board = try session.histories.board(name) { return (board, false) }
        return (try createPasteboard(name, persistent ? .persistent : .volatile, source: source), true)
    }

    /// Creates a pasteboard that does not exist yet, with the version that `first` creates, or else an empty one.
    func createPasteboard(
        _ name: PasteboardName, _ area: Area, source: Source, first: ((Board) throws -> VersionRow)? = nil
    ) throws -> Board {
        if area == .volatile, name != .general { try session.counter.noteVolatilePasteboard() }
        let board = try session.histories.create(name, area, source: source, first: first)
        try session.usage.check(with: Usage(pasteboards: 1), of: source.application, area)
        return board
    }

    package func pasteboard(_ name: PasteboardName) throws -> Board? { try session.histories.board(name) }

    /// Whether a pasteboard exists, even if its row is damaged. A write may then recreate it.
    package func hasPasteboard(_ name: PasteboardName) throws -> Bool {
        do { return try pasteboard(name) != nil } catch PasteboardError.damaged { return true }
    }

    /// A page of the intact pasteboards whose names begin with `prefix`, sorted by the bytes of their names.
    package func pasteboards(
        after: PasteboardName? = nil, limit: Int, prefix: String = ""
    ) throws -> [Board] {
        let boards = try Area.allCases.flatMap { area in
            try session.boards.page(area, after: after?.text ?? "", limit: limit, prefix: prefix)
        }
        return Array(boards.sorted { $0.name < $1.name }.prefix(max(0, limit)))
    }

    @discardableResult
    package func removePasteboard(_ name: PasteboardName) throws -> UInt64 {
        guard name != .general else { throw PasteboardError.generalCannotBeRemoved }
        return try session.histories.remove(name)
    }

    /// Sets how many versions are kept besides the current one, and drops the excess ones.
    package func setHistoryLimit(_ limit: UInt32, of name: PasteboardName) throws {
        try session.configuration.limits.check(\.historyMost, request: UInt64(limit))
        var board = try session.histories.existing(name)
        guard board.historyLimit != limit else { return }
        board.historyLimit = limit
        try session.histories.trim(of: &board)
        try session.boards.update(board)
    }
}

extension StoreTransaction {
    /// Whether closing the store would lose content or a pasteboard. An empty `general` is not lost: it always exists.
    package var holdsContentInMemory: Bool {
        get throws {
            let (use, general) = (session.usage.total(.volatile), try session.boards.find(.general, .volatile))
            return use.items > 0 || use.pasteboards > (general == nil ? 0 : 1)
        }
    }

    /// The writers of the promises that are not fulfilled, as ``WriteOptions/writer`` names them.
    package func promisers() throws -> Set<String> {
        let versions = try Area.allCases.flatMap { try session.versions.promising($0) }
        return Set(versions.flatMap { session.contents.promisers(of: $0).parts.map(\.writer) })
    }
}
