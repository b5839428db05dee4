package import IPCModel

/// What a reader who takes can ask for.
package struct TakeOptions: Sendable, Hashable {
    /// The types wanted, nil for all; the others are cleared with them.
    package var types: [ContentType]?
    /// The change count that the pasteboard has to be at, nil for any.
    package var changeCount: UInt64?
    /// The id of the call, with which the reader gets the same again for `operation-kept-seconds`.
    package var id: RequestID?
    /// Who takes.
    package var source: Source

    package init(
        types: [ContentType]? = nil, changeCount: UInt64? = nil, id: RequestID? = nil,
        source: Source = .nobody
    ) {
        (self.types, self.changeCount, self.id, self.source) = (types, changeCount, id, source)
    }
}

extension StoreTransaction {
    /// Reads the current items and clears the pasteboard, so that nobody else gets them (I12), also not as an earlier
    /// version; gives what was taken and the change count after it.
    ///
    /// A pasteboard without items is left as it is.
    package func takeItems(
        of name: PasteboardName, _ options: TakeOptions = TakeOptions()
    ) throws -> (content: VersionContent, changeCount: UInt64) {
        guard let id = options.id else { return try session.take(name, options, nil, at: now) }
        let arguments = ArgumentsDigest(name, types: options.types, changeCount: options.changeCount).digest
        if let known = try session.known(id, .take, arguments, at: now) {
            return (try session.takenContent(known, name, options), known.result)
        }
        let call = RepeatableCall(id: id, kind: .take, arguments: arguments)
        return try session.take(name, options, call, at: now)
    }
}

extension StoreSession {
    func take(
        _ name: PasteboardName, _ options: TakeOptions, _ call: RepeatableCall?, at now: UInt64
    ) throws -> (content: VersionContent, changeCount: UInt64) {
        var (board, version) = try keptVersion(nil, of: name)
        if let expected = options.changeCount, expected != board.changeCount {
            throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
        }
        let content = try content(of: version, types: options.types, name, board.area)
        if call != nil { try setPins(version.pins + 1, of: version, board.area) }
        if extent(of: version).items > 0 { try replaceTaken(version, of: &board, options.source, at: now) }
        if let call {
            try remember(
                call, result: board.changeCount, version: version.changeCount, board.area, at: now)
        }
        return (content, board.changeCount)
    }

    /// Lets a reader have a version alone: an empty one takes the place of the current one.
    func consume(_ version: VersionRow, of board: Board, _ source: Source, at now: UInt64) throws {
        var board = board
        guard version.changeCount == board.changeCount else {
            board.versions.removeAll { $0 == version.changeCount }
            try dropVersion(version.changeCount, board.area)
            return try update(board)
        }
        try replaceTaken(version, of: &board, source, at: now)
    }

    /// Puts an empty version in the place of the one that was taken.
    private func replaceTaken(
        _ version: VersionRow, of board: inout Board, _ source: Source, at now: UInt64
    ) throws {
        board.versions.removeLast()
        board.isCurrentForOneReader = false
        let empty = VersionRow(changeCount: try counter.take(), pasteboard: board.id, source: source, time: now)
        try dropVersion(version.changeCount, board.area)
        try append(empty, to: &board)
    }

    /// Reads again what was taken with an id.
    func takenContent(
        _ known: KnownOperation, _ name: PasteboardName, _ options: TakeOptions
    ) throws -> VersionContent {
        guard let version = try version(known.version, of: name, known.area), !isOver(version) else {
            throw PasteboardError.noSuchVersion(name, known.version)
        }
        return try content(of: version, types: options.types, name, known.area)
    }
}
