/// The contents that no version uses any more. Their rows and files are deleted a few at a time (``Portion``), so that
/// no operation takes long, however much a caller removes (I15). The table `unused_content` lists those that are not
/// deleted completely, so that the next run goes on with them.
///
/// The table also lists contents that are copied to the other database before a version there uses them
/// (``CopiedContents``). If the copying stops half-way, the copied rows are deleted.
final class UnusedContents {
    private struct Place: Hashable {
        let content: UInt64
        let area: Area
    }

    private let transaction: GroupTransaction
    private let files: StoredFiles
    /// Starts an operation that calls ``deleteSome()``, unless one is running.
    private let beginDeletion: () -> Void
    /// Whether a version uses a content.
    var isUsed: (_ content: UInt64, Area) throws -> Bool = { _, _ in true }
    private var listed: Set<Place> = []
    /// How many callers copy a content now. It is not deleted meanwhile.
    private var copying: [Place: Int] = [:]
    /// What the current operation may still delete.
    private var portion = Portion()
    private var operation: UInt64 = 0

    init(_ transaction: GroupTransaction, _ files: StoredFiles, beginDeletion: @escaping () -> Void) {
        (self.transaction, self.files, self.beginDeletion) = (transaction, files, beginDeletion)
    }

    func load() throws {
        try transaction.statement("SELECT * FROM @.unused_content", .persistent).query { row in
            let content = row.number(0)
            guard row.isIntact(.unusedContent, checksum: 1), (1..<ChangeCounter.greatest).contains(content) else {
                return
            }
            listed.insert(Place(content: content, area: .persistent))
        }
        if !listed.isEmpty { beginDeletion() }
    }

    // MARK: Deletion

    /// Deletes the rows of a content that no version uses, as far as the current operation may. The rest is deleted
    /// later.
    func delete(_ content: UInt64, _ area: Area) throws {
        beginPortion()
        if try !deleteRows(of: content, area) { try list(Place(content: content, area: area)) }
        // Also goes on with what is listed, if the disk was full earlier.
        if !listed.isEmpty { beginDeletion() }
    }

    /// Deletes a portion of what is listed, in an operation of its own.
    /// - Returns: whether there is more to delete.
    func deleteSome() throws -> Bool {
        beginPortion()
        while let place = listed.first(where: { copying[$0] == nil }) {
            // A pasteboard may have moved to this database, or back, in the meantime.
            guard try isUsed(place.content, place.area) || deleteRows(of: place.content, place.area) else {
                return true
            }
            try unlist(place)
        }
        return false
    }

    private func beginPortion() {
        guard operation != transaction.operation else { return }
        (operation, portion) = (transaction.operation, Portion())
    }

    /// Deletes rows of a content until the portion is used up.
    /// - Returns: whether all its rows are deleted.
    private func deleteRows(of content: UInt64, _ area: Area) throws -> Bool {
        let keys = ContentKeys(content: content).range
        var (last, released, isWhole): (UInt64?, [UInt64], Bool) = (nil, [], true)
        try transaction.statement(
            "SELECT id, kind, size FROM @.representation WHERE id BETWEEN ? AND ? ORDER BY id", area
        ).scan(keys) { row in
            isWhole = portion.take(row)
            guard isWhole else { return false }
            last = row.number(0)
            if row.integer(1) == RepresentationRow.fileKind { released.append(row.number(0)) }
            return true
        }
        guard let last else { return isWhole }
        try transaction.write(
            "DELETE FROM @.representation WHERE id BETWEEN ? AND ?", area, [keys[0], .number(last)])
        for key in released { files.release(key, area) }
        return isWhole
    }

    // MARK: Copying

    /// Notes that rows of a content are copied to a database in which no version uses it.
    func beginCopying(_ content: UInt64, to area: Area) throws {
        let place = Place(content: content, area: area)
        copying[place, default: 0] += 1
        transaction.onUndo { [self] in endCopying(content, to: area) }
        try list(place)
    }

    /// Notes that the copying has ended. The copied rows are deleted, unless a version uses them.
    func endCopying(_ content: UInt64, to area: Area) {
        let place = Place(content: content, area: area)
        copying[place] = copying[place].flatMap { $0 > 1 ? $0 - 1 : nil }
        if copying[place] == nil, listed.contains(place) { beginDeletion() }
    }

    // MARK: The table

    private func list(_ place: Place) throws {
        guard listed.insert(place).inserted else { return }
        transaction.onUndo { [self] in listed.remove(place) }
        try transaction.insert(
            "INSERT INTO @.unused_content VALUES (?, ?)", place.area, [.number(place.content)], in: .unusedContent)
    }

    private func unlist(_ place: Place) throws {
        guard listed.remove(place) != nil else { return }
        transaction.onUndo { [self] in listed.insert(place) }
        try transaction.write("DELETE FROM @.unused_content WHERE content = ?", place.area, [.number(place.content)])
    }
}

/// How many rows one operation deletes or copies, so that it takes a few milliseconds at most: 512 rows, or 1 MiB
/// outside of files. The first row may have any size.
struct Portion {
    private var rows = 512
    private var bytes: UInt64 = 1 << 20

    /// Counts a row whose columns are its key, its kind and its size.
    /// - Returns: whether it is part of the portion.
    mutating func take(_ row: SQLRow) -> Bool {
        guard rows > 0, bytes > 0 else { return false }
        rows -= 1
        if row.integer(1) != RepresentationRow.fileKind { bytes -= min(bytes, row.number(2)) }
        return true
    }
}
