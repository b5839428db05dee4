internal import IPCModel

extension StoreTransaction {
    /// Ends versions that are over, some hundreds at a time, and gives the next end in milliseconds of uptime: one that
    /// has passed where more are over, nil where none ends by itself. What is held for calls that may be repeated no
    /// more, and ended requests that are kept no longer, are let go of as well.
    ///
    /// A current version is replaced by an empty one, which takes a change count; any other is let go of. Nobody waits
    /// for this: what is over is not read either way.
    package func expire() throws -> UInt64? {
        let uptime = session.configuration.uptime()
        for _ in 0..<Self.endedAtATime {
            guard let first = session.deadlines.first, first.deadline <= uptime else { break }
            try session.end(first.changeCount, at: uptime)
        }
        try session.forgetOperations(atMost: Self.endedAtATime, at: now)
        try session.retention.forgetOver(atMost: Self.endedAtATime)
        return nextExpiry
    }

    /// When the next version ends or is held no more, or an ended request is forgotten, in milliseconds of uptime; nil
    /// where nothing does by itself.
    package var nextExpiry: UInt64? {
        let ends = [
            session.deadlines.first?.deadline, session.operationsEnd(at: now), session.retention.nextEnd,
        ]
        return ends.compactMap { $0 }.min()
    }

    private static let endedAtATime = 256
}

extension StoreSession {
    /// Reads when versions on the disk end. What was sensitive is over: it was in memory.
    func loadDeadlines() throws {
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_ends WHERE expires_at IS NOT NULL", .persistent)
        try statement.query { row in
            if let version = VersionRow(row) { noteEnd(of: version) }
        }
    }

    /// Sets the end of a version that was read, unless it is known.
    ///
    /// By the clock of the day there is so much left as it says, but never more than the version was given at first:
    /// the clock may have been set back while nobody looked.
    func noteEnd(of version: VersionRow) {
        guard let end = version.expiresAt, deadlines[version.changeCount] == nil else { return }
        let now = configuration.now()
        var left = min(end - min(end, version.time), end - min(end, now))
        if version.isSensitive, sensitive[version.changeCount] == nil { left = 0 }
        deadlines.set(version.changeCount, configuration.uptime() + left)
    }

    /// Whether a version that was read is over; its row is the last word where the index has lost it.
    func isOver(_ version: VersionRow) -> Bool {
        guard version.expiresAt != nil else { return false }
        noteEnd(of: version)
        return deadlines[version.changeCount].map { $0 <= configuration.uptime() } ?? false
    }

    /// Sets when a version ends, or that it does not any more.
    func setDeadline(_ deadline: UInt64?, of count: UInt64) {
        let earlier = deadlines[count]
        transaction.onUndo { [self] in deadlines.set(count, earlier) }
        deadlines.set(count, deadline)
    }

    /// The pasteboard without the versions of it that are over.
    func withoutOver(_ board: Board) throws -> Board {
        guard deadlines.mayBeOver(at: configuration.uptime) else { return board }
        let uptime = configuration.uptime()
        let over = board.versions.filter { deadlines[$0].map { $0 <= uptime } ?? false }
        return over.isEmpty ? board : try end(over, of: board)
    }

    /// Ends a version wherever it is.
    fileprivate func end(_ count: UInt64, at uptime: UInt64) throws {
        for area in Area.allCases {
            guard let version = try intactVersion(count, area) else { continue }
            if let board = try board(key: version.pasteboard, area), board.versions.contains(count) {
                _ = try withoutOver(board)
            } else {
                try delete(version, area)
            }
        }
        // One that is damaged, or whose pasteboard is, is not read in any case.
        if deadlines[count] != nil { setDeadline(nil, of: count) }
    }

    /// Lets go of versions of a pasteboard, whoever holds them, and puts an empty one in the place of the current one.
    func end(_ counts: [UInt64], of board: Board) throws -> Board {
        var board = board
        let isCurrentOver = counts.contains(board.changeCount)
        board.versions.removeAll { counts.contains($0) }
        for count in counts {
            if let version = try intactVersion(count, board.area) { try delete(version, board.area) }
        }
        if isCurrentOver {
            board.isCurrentForOneReader = false
            let empty = VersionRow(
                changeCount: try counter.take(), pasteboard: board.id, source: .nobody, time: configuration.now())
            try append(empty, to: &board)
        } else {
            try update(board)
        }
        return board
    }
}
