internal import IPCModel

/// The table `version`. Counts how many requests and calls hold each version, and charges sources for their versions.
final class Versions {
    private let transaction: GroupTransaction
    private let usage: UsageTally
    private let known: KnownVersions
    private let deadlines: Deadlines
    private let sensitive: SensitiveContents
    private let unused: UnusedContents

    init(
        _ transaction: GroupTransaction, _ usage: UsageTally, _ known: KnownVersions, _ deadlines: Deadlines,
        _ sensitive: SensitiveContents, _ unused: UnusedContents
    ) {
        (self.transaction, self.usage, self.known) = (transaction, usage, known)
        (self.deadlines, self.sensitive, self.unused) = (deadlines, sensitive, unused)
    }

    /// The version with a change count; `nil` if there is none.
    /// - Throws: `PasteboardError.damaged`
    func version(_ count: UInt64, of name: PasteboardName, _ area: Area) throws -> VersionRow? {
        try transaction.statement("SELECT * FROM @.version WHERE change_count = ?", area).first([.number(count)]) {
            row in
            guard let version = VersionRow(row), version.changeCount == count else {
                throw PasteboardError.damaged(name, count)
            }
            return version
        }
    }

    /// The version with a change count; `nil` if there is none, or its row is damaged.
    func intact(_ count: UInt64, _ area: Area) throws -> VersionRow? {
        try transaction.statement("SELECT * FROM @.version WHERE change_count = ?", area).first(
            [.number(count)], VersionRow.init)
    }

    /// Writes the row of a version, and adds the version to the usage of its source.
    func insert(_ version: VersionRow, _ area: Area) throws {
        try transaction.write(
            Self.insertVersion, area, version.columnsWithChecksum,
            undoneBy: Self.deleteVersion, { [.number(version.changeCount)] })
        usage.charge(version.usage, to: version.source.application, area)
    }

    private static let insertVersion: StaticString =
        "INSERT INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    private static let deleteVersion: StaticString = "DELETE FROM @.version WHERE change_count = ?"

    /// Replaces the row of a version. The caller must adjust the usage of the version's source.
    func replace(_ version: VersionRow, _ area: Area) throws {
        known.remove(version.changeCount)
        try transaction.insert(
            "REPLACE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", area, version.columns,
            in: .version)
    }

    /// Deletes a version that its pasteboard no longer keeps. A held version stays until it is released. A version with
    /// a damaged row stays too, because the row may name the wrong content.
    func drop(_ count: UInt64, _ area: Area) throws {
        guard let version = try intact(count, area), version.pins == 0 else { return }
        try delete(version, area)
    }

    /// Sets how many requests and calls hold a version.
    func setPins(_ pins: UInt64, of version: VersionRow, _ area: Area) throws {
        var version = version
        version.pins = pins
        known.remove(version.changeCount)
        try transaction.write(
            "UPDATE @.version SET pins = ?, checksum = ? WHERE change_count = ?", area,
            [.number(pins), Checksum.of(version.columns, in: .version), .number(version.changeCount)])
    }

    /// Removes one hold on a version that no pasteboard keeps. The last release deletes the version.
    func release(_ count: UInt64, _ area: Area) throws {
        guard let version = try intact(count, area) else { return }
        if version.pins > 1 {
            try setPins(version.pins - 1, of: version, area)
        } else {
            try delete(version, area)
        }
    }

    /// Deletes a version, even a held one, with everything that belongs only to it.
    func delete(_ version: VersionRow, _ area: Area) throws {
        known.remove(version.changeCount)
        try transaction.write(
            Self.deleteVersion, area, [.number(version.changeCount)],
            undoneBy: Self.insertVersion, { version.columnsWithChecksum })
        usage.refund(version.usage, to: version.source.application, area)
        // If the pasteboard has moved to the other database, the version still exists there, with its deadline.
        if version.expiresAt != nil, try intact(version.changeCount, area.other) == nil {
            deadlines.set(nil, of: version.changeCount)
            sensitive.set(nil, of: version)
        }
        guard version.content != 0, try !isUsed(version.content, area) else { return }
        try unused.delete(version.content, area)
    }

    /// The versions with a given content: the version that created it, and those that added items to it.
    func sharing(_ content: UInt64, _ area: Area) throws -> [VersionRow] {
        var versions = try intact(content, area).map { [$0] } ?? []
        let statement = try transaction.statement(
            "SELECT * FROM @.version WHERE content = ? AND content <> change_count AND content <> 0", area)
        try statement.query([.number(content)]) { row in
            if let version = VersionRow(row) { versions.append(version) }
        }
        return versions
    }

    /// The versions with promises, by change count. Of versions that share content, only the latest is included.
    func promising(_ area: Area) throws -> [VersionRow] {
        var versions: [UInt64: VersionRow] = [:]
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_promises WHERE writer <> '' ORDER BY change_count", area)
        try statement.query { row in
            if let version = VersionRow(row) { versions[version.content] = version }
        }
        for count in sensitive.promised {
            if let version = try intact(count, area) { versions[count] = version }
        }
        return versions.values.sorted { $0.changeCount < $1.changeCount }
    }

    /// Whether there is a version with a content.
    func isUsed(_ content: UInt64, _ area: Area) throws -> Bool {
        let first = try transaction.statement("SELECT 1 FROM @.version WHERE change_count = ?", area)
        if try first.first([.number(content)], { _ in true }) != nil { return true }
        let extensions = try transaction.statement(
            "SELECT 1 FROM @.version WHERE content = ? AND content <> change_count AND content <> 0 LIMIT 1", area)
        return try extensions.first([.number(content)], { _ in true }) != nil
    }

    /// Replaces the row of one version with that of another. The caller must adjust the usage of their sources.
    func overwrite(_ oldest: VersionRow, with version: VersionRow, _ area: Area) throws {
        try transaction.write(
            Self.overwrite, area, Self.columnsOfOverwrite(version, at: oldest.changeCount),
            undoneBy: Self.overwrite, { Self.columnsOfOverwrite(oldest, at: version.changeCount) })
    }

    /// Sets all columns. If one were left out, SQLite would read it from the old row, which costs more.
    private static let overwrite: StaticString = """
        UPDATE @.version SET change_count = ?1, pasteboard = ?2, content = ?3, items = ?4, representations = ?5,
        bytes = ?6, pins = ?7, time = ?8, expires_at = ?9, flags = ?10, strength = ?11, source = ?12, writer = ?13,
        checksum = ?14 WHERE change_count = ?15
        """

    private static func columnsOfOverwrite(_ version: VersionRow, at count: UInt64) -> [SQLValue] {
        var columns: [SQLValue] = [
            .number(version.changeCount), .number(version.pasteboard), .number(version.content),
            .number(version.items), .number(version.representations), .number(version.bytes), .number(version.pins),
            .number(version.time), .number(version.expiresAt), .number(version.flags.rawValue),
            .integer(version.source.strength.number), .text(version.source.application), .text(version.writer), .null,
            .number(count),
        ]
        columns[13] = Checksum.of(columns, first: 13, in: .version)
        return columns
    }
}
