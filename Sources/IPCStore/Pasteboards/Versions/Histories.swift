internal import IPCModel

/// The versions that each pasteboard keeps: the current one, and earlier ones up to its limit, except expired ones.
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

    /// A pasteboard without its expired versions; `nil` if there is none.
    /// - Throws: `PasteboardError.damaged`
    func board(_ name: PasteboardName) throws -> Board? { try boards.stored(name).map(withoutOver) }

    func existing(_ name: PasteboardName) throws -> Board {
        guard let board = try board(name) else { throw PasteboardError.noSuchPasteboard(name) }
        return board
    }

    /// - Parameter first: creates the pasteboard's first version; `nil` for an empty version.
    func create(
        _ name: PasteboardName, _ area: Area, source: Source, first: ((Board) throws -> VersionRow)? = nil
    ) throws -> Board {
        let count = try counter.take()
        var board = Board(
            id: count, name: name, area: area, historyLimit: usualLimit(of: name, area), created: transaction.now,
            source: source.application, versions: [count])
        usage.charge(Usage(pasteboards: 1), to: board.source, area)
        let version =
            try first?(board)
            ?? VersionRow(changeCount: count, pasteboard: count, source: .nobody, time: transaction.now)
        try versions.insert(version, area)
        board.isCurrentForOneReader = version.isOnce
        try checkUsage(with: version, area)
        try boards.insert(board)
        return board
    }

    /// How many earlier versions a new pasteboard keeps. `general` keeps more, as long as it is in memory.
    private func usualLimit(of name: PasteboardName, _ area: Area) -> UInt32 {
        let limits = transaction.configuration.limits
        return UInt32(min(name == .general && area == .volatile ? limits.generalHistory : limits.history, 100))
    }

    /// Creates the pasteboard `general`, which always exists. It is in memory unless it was made persistent.
    func createGeneral() throws {
        guard try boards.find(.general, .persistent) == nil else { return }
        _ = try create(.general, .volatile, source: .nobody)
    }

    /// Replaces a pasteboard whose row is damaged.
    func makeAnew(_ name: PasteboardName, _ source: Source) throws -> Board {
        let area: Area = try boards.find(name, .volatile) == nil ? .persistent : .volatile
        guard let found = try boards.find(name, area) else { throw PasteboardError.noSuchPasteboard(name) }
        try boards.delete(found.id, name, area)
        usage.refund(Usage(pasteboards: 1), to: "", area)
        return try create(name, area, source: source)
    }

    /// Removes a pasteboard. If its row is damaged, its versions remain but can no longer be read.
    /// - Returns: the change count of the removal.
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

    /// The version with a change count; `nil` means the current one.
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

    /// Makes a version the current one of its pasteboard, drops excess versions, and then checks the store's limits. The
    /// check may drop more versions, so it comes last.
    func append(_ version: VersionRow, to board: inout Board) throws {
        try versions.insert(version, board.area)
        if let previous = board.versions.last, try endsWithItsReader(previous, board) {
            board.versions.removeLast()
            try versions.drop(previous, board.area)
        }
        board.versions.append(version.changeCount)
        board.isCurrentForOneReader = version.isOnce
        try trim(of: &board)
        try boards.update(board)
        try checkUsage(with: version, board.area)
        board = try boards.stored(board.name) ?? board
    }

    private func checkUsage(with version: VersionRow, _ area: Area) throws {
        if let content = sensitive[version.changeCount] {
            try usage.check(with: content.usage, of: version.source.application, .volatile)
        } else {
            try usage.check(with: version.usage, of: version.source.application, area)
        }
    }

    /// Whether the current version is for one reader. Such a version is never kept as an earlier version.
    private func endsWithItsReader(_ current: UInt64, _ board: Board) throws -> Bool {
        try board.isCurrentForOneReader ?? versions.intact(current, board.area)?.isOnce ?? false
    }

    func trim(of board: inout Board) throws {
        while board.versions.count > Int(board.historyLimit) + 1 {
            try versions.drop(board.versions.removeFirst(), board.area)
        }
    }

    // MARK: Room in memory

    /// Drops the oldest earlier version of `general` if that pasteboard is in memory and keeps more than `kept` of them.
    /// - Returns: whether `general` keeps one version less now.
    func dropEarlierOfGeneral(keeping kept: UInt64) throws -> Bool {
        guard var board = try boards.find(.general, .volatile)?.board, UInt64(board.versions.count) > kept + 1 else {
            return false
        }
        try versions.drop(board.versions.removeFirst(), board.area)
        try boards.update(board)
        return true
    }

    // MARK: Removing versions

    private func withoutOver(_ board: Board) throws -> Board {
        let over = deadlines.over(of: board.versions)
        return over.isEmpty ? board : try end(over, of: board)
    }

    /// Removes an expired version from both databases.
    func end(_ count: UInt64) throws {
        for area in Area.allCases {
            guard let version = try versions.intact(count, area) else { continue }
            if let board = try boards.board(key: version.pasteboard, area), board.versions.contains(count) {
                _ = try withoutOver(board)
            } else {
                try versions.delete(version, area)
            }
        }
        // A damaged version, or a version of a damaged pasteboard, is never read, so its deadline is not needed.
        if deadlines[count] != nil { deadlines.set(nil, of: count) }
    }

    /// Deletes versions of a pasteboard, even held ones. If one is the current version, an empty version replaces it.
    private func end(_ counts: [UInt64], of board: Board) throws -> Board {
        var board = board
        let isCurrentOver = counts.contains(board.changeCount)
        board.versions.removeAll { counts.contains($0) }
        for count in counts {
            if let version = try versions.intact(count, board.area) { try versions.delete(version, board.area) }
        }
        if isCurrentOver { try append(try emptyVersion(of: &board), to: &board) } else { try boards.update(board) }
        return board
    }

    /// Removes a version that its only reader has read. If it is the current one, an empty version replaces it.
    func consume(_ version: VersionRow, of board: inout Board) throws {
        guard version.changeCount == board.changeCount else {
            board.versions.removeAll { $0 == version.changeCount }
            try versions.drop(version.changeCount, board.area)
            return try boards.update(board)
        }
        board.versions.removeLast()
        let empty = try emptyVersion(of: &board)
        try versions.drop(version.changeCount, board.area)
        try append(empty, to: &board)
    }

    private func emptyVersion(of board: inout Board) throws -> VersionRow {
        board.isCurrentForOneReader = false
        return VersionRow(
            changeCount: try counter.take(), pasteboard: board.id, source: .nobody, time: transaction.now)
    }
}
