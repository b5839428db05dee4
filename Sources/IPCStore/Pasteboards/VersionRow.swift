internal import IPCModel

/// A version of a pasteboard as its row has it.
struct VersionRow {
    let changeCount: UInt64
    /// The key of the pasteboard.
    let pasteboard: UInt64
    /// The change count at which the content began; 0 for none.
    var content: UInt64 = 0
    var items = 0
    /// How many representations of the content belong to the version: the first ones.
    var representations = 0
    /// The size of all values.
    var bytes: UInt64 = 0
    var pins: UInt64 = 0
    let source: Source
    /// When the version was made, in milliseconds since 1970.
    let time: UInt64
    /// When the version ends, in milliseconds since 1970.
    var expiresAt: UInt64?
    var flags: VersionFlags = []
    /// Who promised what is not there yet; see ``Promisers``.
    var writer = ""

    var isSensitive: Bool { flags.contains(.sensitive) }
    var isOnce: Bool { flags.contains(.once) }

    /// What the row is charged with.
    var usage: Usage { Usage(items: UInt64(items), bytes: bytes) }

    /// A version without items.
    init(changeCount: UInt64, pasteboard: UInt64, source: Source, time: UInt64) {
        (self.changeCount, self.pasteboard, self.source, self.time) = (changeCount, pasteboard, source, time)
    }

    /// The columns of the row without the checksum.
    var columns: [SQLValue] {
        [
            .number(changeCount), .number(pasteboard), .number(content), .number(items), .number(representations),
            .number(bytes), .number(pins), .number(time), .number(expiresAt),
            .number(flags.rawValue), .integer(source.strength.number), .text(source.application), .text(writer),
        ]
    }

    /// Reads a row of `SELECT *`; nil where it is damaged.
    init?(_ row: SQLRow) {
        guard row.isIntact(.version, checksum: 13), let strength = SourceStrength(number: row.integer(10)) else {
            return nil
        }
        self.init(
            changeCount: row.number(0), pasteboard: row.number(1),
            source: Source(application: row.text(11), strength: strength), time: row.number(7))
        (content, items, representations) = (row.number(2), Int(row.integer(3)), Int(row.integer(4)))
        guard representations <= ContentKeys.most, items <= representations else { return nil }
        (bytes, pins, flags) = (row.number(5), row.number(6), VersionFlags(rawValue: row.number(9)))
        writer = row.text(12)
        expiresAt = row.isNull(8) ? nil : row.number(8)
    }
}

/// What else holds for a version; the numbers stand in rows.
struct VersionFlags: OptionSet {
    let rawValue: UInt64

    /// Its content is kept in memory alone.
    static let sensitive = VersionFlags(rawValue: 1)
    /// The first reader of its content consumes it.
    static let once = VersionFlags(rawValue: 2)
}

extension SourceStrength {
    /// The number that stands in a row.
    var number: Int64 {
        switch self {
        case .unknown: 0
        case .claimed: 1
        case .sandboxed: 2
        case .owned: 3
        }
    }

    init?(number: Int64) {
        guard let strength = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = strength
    }
}

/// The keys of the representations of a content.
struct ContentKeys {
    let content: UInt64

    /// The most representations of a version.
    static let most = 65_535

    /// The key of the representation with an ordinal, counted from 0 over all items.
    func key(_ ordinal: Int) -> SQLValue { .number(number(ordinal)) }

    /// The same as a number.
    func number(_ ordinal: Int) -> UInt64 { content << 20 | UInt64(ordinal) }

    /// The first and the last key that the content can have.
    var range: [SQLValue] { [key(0), key(1 << 20 - 1)] }

    /// The first and the last key of the first `count` representations.
    func range(_ count: Int) -> [SQLValue] { [key(0), key(count - 1)] }
}

extension StoreSession {
    /// A version by its change count; nil where there is none, an error where its row is damaged.
    func version(_ count: UInt64, of name: PasteboardName, _ area: Area) throws -> VersionRow? {
        try transaction.statement("SELECT * FROM @.version WHERE change_count = ?", area).first([.number(count)]) {
            row in
            guard let version = VersionRow(row), version.changeCount == count else {
                throw PasteboardError.damaged(name, count)
            }
            return version
        }
    }

    /// A version by its change count; nil where there is none, or its row is damaged.
    func intactVersion(_ count: UInt64, _ area: Area) throws -> VersionRow? {
        try transaction.statement("SELECT * FROM @.version WHERE change_count = ?", area).first(
            [.number(count)], VersionRow.init)
    }

    /// Writes the row of a version and charges its source with it.
    func insert(_ version: VersionRow, _ area: Area) throws {
        let columns = version.columns
        try transaction.write(
            Self.insertVersion, area, columns + [Checksum.of(columns, in: .version)],
            reversal: { [self] in
                try transaction.statement("DELETE FROM @.version WHERE change_count = ?", area)
                    .run([.number(version.changeCount)])
            })
        usage.charge(version.usage, to: version.source.application, area)
    }

    static let insertVersion: StaticString =
        "INSERT INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    /// Writes the row of a version anew; what it is charged with is the caller's.
    func replace(_ version: VersionRow, _ area: Area) throws {
        known.remove(version.changeCount)
        try transaction.insert(
            "REPLACE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", area, version.columns,
            in: .version)
    }

    /// Makes a version the current one of its pasteboard, and lets go of those that are too many; a limit of what may
    /// be kept is checked after that.
    func append(_ version: VersionRow, to board: inout Board) throws {
        try insert(version, board.area)
        if let previous = board.versions.last, try endsWithItsReader(previous, board) {
            board.versions.removeLast()
            try dropVersion(previous, board.area)
        }
        board.versions.append(version.changeCount)
        board.isCurrentForOneReader = version.isOnce
        try trimVersions(of: &board)
        if let content = sensitive[version.changeCount] {
            try usage.check(with: content.usage, of: version.source.application, .volatile)
        } else {
            try usage.check(with: version.usage, of: version.source.application, board.area)
        }
        try update(board)
    }

    /// Whether a version is for one reader alone: such a version is never kept as an earlier one.
    private func endsWithItsReader(_ current: UInt64, _ board: Board) throws -> Bool {
        try board.isCurrentForOneReader ?? intactVersion(current, board.area)?.isOnce ?? false
    }

    /// Lets go of the oldest versions of a pasteboard until its limit holds.
    func trimVersions(of board: inout Board) throws {
        while board.versions.count > Int(board.historyLimit) + 1 {
            try dropVersion(board.versions.removeFirst(), board.area)
        }
    }

    /// Lets go of a version that its pasteboard keeps no more; one that somebody holds stays until it is released.
    ///
    /// A damaged one stays behind: what it says about its content cannot be trusted.
    func dropVersion(_ count: UInt64, _ area: Area) throws {
        guard let version = try intactVersion(count, area), version.pins == 0 else { return }
        try delete(version, area)
    }

    /// Adds one to those who hold a version, or takes one away.
    func setPins(_ pins: UInt64, of version: VersionRow, _ area: Area) throws {
        var version = version
        version.pins = pins
        known.remove(version.changeCount)
        try transaction.write(
            "UPDATE @.version SET pins = ?, checksum = ? WHERE change_count = ?", area,
            [.number(pins), Checksum.of(version.columns, in: .version), .number(version.changeCount)])
    }

    /// Takes one away from those who hold a version, and deletes it with the last; for versions that no pasteboard
    /// keeps.
    func release(_ count: UInt64, _ area: Area) throws {
        guard let version = try intactVersion(count, area) else { return }
        if version.pins > 1 {
            try setPins(version.pins - 1, of: version, area)
        } else {
            try delete(version, area)
        }
    }

    /// Deletes a version with what belongs to it alone, whoever holds it.
    func delete(_ version: VersionRow, _ area: Area) throws {
        known.remove(version.changeCount)
        try transaction.write(
            "DELETE FROM @.version WHERE change_count = ?", area, [.number(version.changeCount)],
            reversal: { [self] in
                let columns = version.columns
                try transaction.statement(Self.insertVersion, area)
                    .run(columns + [Checksum.of(columns, in: .version)])
            })
        usage.refund(version.usage, to: version.source.application, area)
        // Where its pasteboard has moved to the other database, the version goes on there.
        if version.expiresAt != nil, try intactVersion(version.changeCount, area.other) == nil {
            setDeadline(nil, of: version.changeCount)
            try setSensitive(nil, of: version)
        }
        guard version.content != 0, try !isNeeded(content: version.content, area) else { return }
        try deleteRepresentations(ContentKeys(content: version.content).range, area)
    }

    /// The versions that have a content: the one that began it, and those that extend it.
    func versions(sharing content: UInt64, _ area: Area) throws -> [VersionRow] {
        var versions = try intactVersion(content, area).map { [$0] } ?? []
        let statement = try transaction.statement(
            "SELECT * FROM @.version WHERE content = ? AND content <> change_count AND content <> 0", area)
        try statement.query([.number(content)]) { row in
            if let version = VersionRow(row) { versions.append(version) }
        }
        return versions
    }

    /// Whether a version has the content: the one that began it, or one that extends it.
    private func isNeeded(content: UInt64, _ area: Area) throws -> Bool {
        let first = try transaction.statement("SELECT 1 FROM @.version WHERE change_count = ?", area)
        if try first.first([.number(content)], { _ in true }) != nil { return true }
        let extensions = try transaction.statement(
            "SELECT 1 FROM @.version WHERE content = ? AND content <> change_count AND content <> 0 LIMIT 1", area)
        return try extensions.first([.number(content)], { _ in true }) != nil
    }
}
