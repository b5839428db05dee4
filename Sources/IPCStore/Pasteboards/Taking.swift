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
        guard let id = options.id else { return try take(name, options, nil) }
        let arguments = ArgumentsDigest(name, types: options.types, changeCount: options.changeCount).digest
        if let known = try session.calls.known(id, .take, arguments) {
            return (try takenContent(known, name, options), known.result)
        }
        return try take(name, options, RepeatableCall(id: id, kind: .take, arguments: arguments))
    }

    private func take(
        _ name: PasteboardName, _ options: TakeOptions, _ call: RepeatableCall?
    ) throws -> (content: VersionContent, changeCount: UInt64) {
        var (board, version) = try session.histories.version(nil, of: name)
        if let expected = options.changeCount, expected != board.changeCount {
            throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
        }
        let content = try session.contents.content(of: version, types: options.types, name, board.area)
        if call != nil { try session.versions.setPins(version.pins + 1, of: version, board.area) }
        if session.contents.extent(of: version).items > 0 {
            try session.histories.replaceTaken(version, of: &board, options.source, at: now)
        }
        if let call {
            try session.calls.remember(call, result: board.changeCount, version: version.changeCount, board.area)
        }
        return (content, board.changeCount)
    }

    /// Reads again what was taken with an id.
    private func takenContent(
        _ known: KnownOperation, _ name: PasteboardName, _ options: TakeOptions
    ) throws -> VersionContent {
        guard let version = try session.versions.version(known.version, of: name, known.area),
            !session.deadlines.isOver(version)
        else { throw PasteboardError.noSuchVersion(name, known.version) }
        return try session.contents.content(of: version, types: options.types, name, known.area)
    }
}
