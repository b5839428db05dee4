package import IPCModel

extension StoreTransaction {
    /// Reads the current items and clears the pasteboard, so that no other reader gets them (I12), not even as an earlier
    /// version. Returns the items and the change count after it. An empty pasteboard stays as it is.
    package func takeItems(
        of name: PasteboardName, _ options: ReadOptions = ReadOptions()
    ) throws -> (content: VersionContent, changeCount: UInt64) {
        let call = options.id.map { RepeatableCall($0, of: name, options) }
        if let call, let known = try session.calls.known(call) {
            return (try takenContent(known, name, options), known.result)
        }
        var (board, version) = try session.histories.version(nil, of: name)
        if let expected = options.changeCount, expected != board.changeCount {
            throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
        }
        let content = try session.contents.content(of: version, types: options.types, name, board.area)
        if call != nil { try session.versions.setPins(version.pins + 1, of: version, board.area) }
        if session.contents.extent(of: version).items > 0 { try session.histories.consume(version, of: &board) }
        if let call {
            try session.calls.remember(call, result: board.changeCount, version: version.changeCount, board.area)
        }
        return (content, board.changeCount)
    }

    /// Reads the items of an earlier take.
    private func takenContent(
        _ known: RepeatableCalls.Known, _ name: PasteboardName, _ options: ReadOptions
    ) throws -> VersionContent {
        guard let version = try session.versions.version(known.version, of: name, known.area),
            !session.deadlines.isOver(version)
        else { throw PasteboardError.noSuchVersion(name, known.version) }
        return try session.contents.content(of: version, types: options.types, name, known.area)
    }
}
