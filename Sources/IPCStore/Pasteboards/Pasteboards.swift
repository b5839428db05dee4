package import IPCModel

/// What is known of a pasteboard without reading its content.
package struct PasteboardState: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count of the current version.
    package let changeCount: UInt64
    package let isPersistent: Bool
    /// The most versions that are kept beside the current one.
    package let historyLimit: UInt32
    /// When the pasteboard was made, in milliseconds since 1970.
    package let created: UInt64
    /// The application id of who made it; empty where none was stated.
    package let source: String
    /// The change counts that can be read, oldest first, the current one last.
    package let versions: [UInt64]
}

extension PasteboardState {
    init(_ board: Board) {
        self.init(
            name: board.name, changeCount: board.changeCount, isPersistent: board.area == .persistent,
            historyLimit: board.historyLimit, created: board.created, source: board.source,
            versions: board.versions)
    }
}

extension StoreTransaction {
    /// Makes a pasteboard, empty, with a change count of its own; one that is there already stays as it is.
    ///
    /// `LimitExceeded` where there are as many as allowed, in all or of this source.
    package func createPasteboard(
        _ name: PasteboardName, persistent: Bool, source: Source = .nobody
    ) throws -> (pasteboard: PasteboardState, isNew: Bool) {
        if let board = try session.histories.board(name) { return (PasteboardState(board), false) }
        let area: Area = persistent ? .persistent : .volatile
        if area == .volatile, name != .general { try session.counter.noteVolatilePasteboard() }
        let board = try session.histories.create(name, area, source: source, at: now)
        try session.usage.check(with: Usage(pasteboards: 1), of: source.application, area)
        return (PasteboardState(board), true)
    }

    /// A pasteboard by name; nil where there is none.
    package func pasteboard(_ name: PasteboardName) throws -> PasteboardState? {
        try session.histories.board(name).map(PasteboardState.init)
    }

    /// A page of the pasteboards in the order of their names, byte by byte: those behind `after`, at most `limit`, with
    /// names that begin with `prefix`. One whose row is damaged is left out.
    package func pasteboards(
        after: PasteboardName? = nil, limit: Int, prefix: String = ""
    ) throws -> [PasteboardState] {
        let boards = try Area.allCases.flatMap { area in
            try session.boards.page(area, after: after?.text ?? "", limit: limit, prefix: prefix)
        }
        return boards.sorted { $0.name < $1.name }.prefix(max(0, limit)).map(PasteboardState.init)
    }

    /// How many pasteboards there are.
    package var pasteboardCount: UInt64 { session.boards.count }

    /// Removes a pasteboard with its versions, and gives the change count of its removal.
    @discardableResult
    package func removePasteboard(_ name: PasteboardName) throws -> UInt64 {
        guard name != .general else { throw PasteboardError.generalCannotBeRemoved }
        return try session.histories.remove(name)
    }

    /// Sets how many versions are kept beside the current one, and lets go of those that are too many.
    package func setHistoryLimit(_ limit: UInt32, of name: PasteboardName) throws {
        do {
            try session.configuration.limits.check(\.historyMost, request: UInt64(limit))
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
        var board = try session.histories.existing(name)
        guard board.historyLimit != limit else { return }
        board.historyLimit = limit
        try session.histories.trim(of: &board)
        try session.boards.update(board)
    }
}
