internal import IPCModel

/// The versions that each pasteboard keeps: the current one, earlier ones up to its limit, and none that is over.
final class Histories {
    private let transaction: GroupTransaction
    private let counter: ChangeCounter
    private let usage: UsageTally
    private let boards: Boards
    private let versions: Versions
    private let known: KnownVersions
    private let deadlines: Deadlines
    private let sensitive: SensitiveContents

    init(
        _ transaction: GroupTransaction, _ counter: ChangeCounter, _ usage: UsageTally, _ boards: Boards,
        _ versions: Versions, _ known: KnownVersions, _ deadlines: Deadlines, _ sensitive: SensitiveContents
    ) {
        (self.transaction, self.counter, self.usage, self.boards) = (transaction, counter, usage, boards)
        (self.versions, self.known, self.deadlines, self.sensitive) = (versions, known, deadlines, sensitive)
    }

    // MARK: Pasteboards

    /// A pasteboard by name, with nothing of it that is over; nil where there is none, an error where its row is
    /// damaged.
    func board(_ name: PasteboardName) throws -> Board? { try boards.stored(name).map(withoutOver) }

    /// A pasteboard that has to be there.
    func existing(_ name: PasteboardName) throws -> Board {
        guard let board = try board(name) else { throw PasteboardError.noSuchPasteboard(name) }
        return board
    }

    /// Makes a pasteboard that is not there; its first version is empty.
    func create(_ name: PasteboardName, _ area: Area, source: Source, at now: UInt64) throws -> Board {
        let count = try counter.take()
        let board = Board(
            id: count, name: name, area: area,
            historyLimit: UInt32(min(transaction.configuration.limits.history, 100)), created: now,
            source: source.application, versions: [count])
        try boards.insert(board)
        usage.charge(Usage(pasteboards: 1), to: board.source, area)
        try versions.insert(VersionRow(changeCount: count, pasteboard: count, source: .nobody, time: now), area)
        return board
    }

    /// Makes the pasteboard that always exists, in memory, unless it was set persistent.
    func createGeneral() throws {
        guard try boards.find(.general, .persistent) == nil else { return }
        _ = try create(.general, .volatile, source: .nobody, at: transaction.configuration.now())
    }

    /// Makes a pasteboard anew whose row is damaged.
    func makeAnew(_ name: PasteboardName, _ source: Source) throws -> Board {
        let area: Area = try boards.find(name, .volatile) == nil ? .persistent : .volatile
        guard let found = try boards.find(name, area) else { throw PasteboardError.noSuchPasteboard(name) }
        try boards.delete(found.id, name, area)
        usage.refund(Usage(pasteboards: 1), to: "", area)
        return try create(name, area, source: source, at: transaction.configuration.now())
    }

    /// Removes a pasteboard, also one whose row is damaged; the versions of that one stay behind unseen.
    func remove(_ name: PasteboardName) throws -> UInt64 {
        for area in Area.allCases {
            guard let found = try boards.find(name, area) else { continue }
            let count = try counter.take()
            for version in found.board?.versions ?? [] { try versions.drop(version, area) }
            try boards.delete(found.id, name, area)
            usage.refund(Usage(pasteboards: 1), to: found.board?.source ?? "", area)
            try boards.noteRemoval(of: name, at: count, area)
            return count
        }
        throw PasteboardError.noSuchPasteboard(name)
    }

    // MARK: Versions

    /// A version that a pasteboard keeps; the current one for nil.
    func version(
        _ count: UInt64?, of name: PasteboardName
    ) throws -> (board: Board, version: VersionRow) {
        let board = try existing(name)
        let wanted = count ?? board.changeCount
        guard board.versions.contains(wanted) else { throw PasteboardError.noSuchVersion(name, wanted) }
        if let known = known.version(wanted, of: board) { return (board, known.row) }
        guard let version = try versions.version(wanted, of: name, board.area), version.pasteboard == board.id else {
            throw PasteboardError.damaged(name, wanted)
        }
        if deadlines.isOver(version) {
            _ = try end([wanted], of: board)
            return try self.version(count, of: name)
        }
        return (board, version)
    }

    /// Makes a version the current one of its pasteboard, and lets go of those that are too many; a limit of what may
    /// be kept is checked after that.
    func append(_ version: VersionRow, to board: inout Board) throws {
        try versions.insert(version, board.area)
        if let previous = board.versions.last, try endsWithItsReader(previous, board) {
            board.versions.removeLast()
            try versions.drop(previous, board.area)
        }
        board.versions.append(version.changeCount)
        board.isCurrentForOneReader = version.isOnce
        try trim(of: &board)
        if let content = sensitive[version.changeCount] {
            try usage.check(with: content.usage, of: version.source.application, .volatile)
        } else {
            try usage.check(with: version.usage, of: version.source.application, board.area)
        }
        try boards.update(board)
    }

    /// Whether a version is for one reader alone: such a version is never kept as an earlier one.
    private func endsWithItsReader(_ current: UInt64, _ board: Board) throws -> Bool {
        try board.isCurrentForOneReader ?? versions.intact(current, board.area)?.isOnce ?? false
    }

    /// Lets go of the oldest versions of a pasteboard until its limit holds.
    func trim(of board: inout Board) throws {
        while board.versions.count > Int(board.historyLimit) + 1 {
            try versions.drop(board.versions.removeFirst(), board.area)
        }
    }
}

// MARK: Ends

extension Histories {
    /// The pasteboard without the versions of it that are over.
    func withoutOver(_ board: Board) throws -> Board {
        let over = deadlines.over(of: board.versions)
        return over.isEmpty ? board : try end(over, of: board)
    }

    /// Ends a version wherever it is.
    func end(_ count: UInt64) throws {
        for area in Area.allCases {
            guard let version = try versions.intact(count, area) else { continue }
            if let board = try boards.board(key: version.pasteboard, area), board.versions.contains(count) {
                _ = try withoutOver(board)
            } else {
                try versions.delete(version, area)
            }
        }
        // One that is damaged, or whose pasteboard is, is not read in any case.
        if deadlines[count] != nil { deadlines.set(nil, of: count) }
    }

    /// Lets go of versions of a pasteboard, whoever holds them, and puts an empty one in the place of the current one.
    func end(_ counts: [UInt64], of board: Board) throws -> Board {
        var board = board
        let isCurrentOver = counts.contains(board.changeCount)
        board.versions.removeAll { counts.contains($0) }
        for count in counts {
            if let version = try versions.intact(count, board.area) { try versions.delete(version, board.area) }
        }
        if isCurrentOver {
            board.isCurrentForOneReader = false
            let empty = VersionRow(
                changeCount: try counter.take(), pasteboard: board.id, source: .nobody,
                time: transaction.configuration.now())
            try append(empty, to: &board)
        } else {
            try boards.update(board)
        }
        return board
    }

    /// Lets a reader have a version alone: an empty one takes the place of the current one.
    func consume(_ version: VersionRow, of board: Board, _ source: Source, at now: UInt64) throws {
        var board = board
        guard version.changeCount == board.changeCount else {
            board.versions.removeAll { $0 == version.changeCount }
            try versions.drop(version.changeCount, board.area)
            return try boards.update(board)
        }
        try replaceTaken(version, of: &board, source, at: now)
    }

    /// Puts an empty version in the place of the one that was taken.
    func replaceTaken(
        _ version: VersionRow, of board: inout Board, _ source: Source, at now: UInt64
    ) throws {
        board.versions.removeLast()
        board.isCurrentForOneReader = false
        let empty = VersionRow(changeCount: try counter.take(), pasteboard: board.id, source: source, time: now)
        try versions.drop(version.changeCount, board.area)
        try append(empty, to: &board)
    }
}
