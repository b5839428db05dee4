internal import IPCModel

/// A version of a pasteboard that is known whole, without a look at the database; what is in it never changes.
///
/// Only what waits for nothing and hides nothing is known so: no secret, nothing for one reader, nothing that ends by
/// itself, no promise and no file.
final class KnownVersion {
    let row: VersionRow
    let area: Area
    let entries: [RepresentationEntry]
    let items: [PasteboardItem]

    init?(_ row: VersionRow, _ area: Area, _ entries: [RepresentationEntry], _ items: [PasteboardItem]) {
        guard row.flags.isEmpty, row.expiresAt == nil, row.writer.isEmpty, row.bytes <= KnownVersions.bytesOfOne,
            entries.allSatisfy(\.isInRow)
        else { return nil }
        (self.row, self.area, self.entries, self.items) = (row, area, entries, items)
    }

    /// What the version needs in memory, about.
    fileprivate var byteCount: Int { 512 + entries.count * 256 + Int(row.bytes) }
}

extension RepresentationEntry {
    /// Whether the value stands in the row.
    var isInRow: Bool {
        switch value {
        case .text, .bytes: true
        case .file, nil: false
        }
    }
}

/// Versions of pasteboards that were written last, by their change counts: 4 MiB. Emptied when anything is undone.
final class KnownVersions {
    private var versions: [UInt64: KnownVersion] = [:]
    private var byteCount = 0

    private static let most = 4 << 20
    /// Bytes of values beyond which a version is read from the database each time.
    fileprivate static let bytesOfOne: UInt64 = 64 << 10

    init(_ transaction: GroupTransaction) { transaction.emptyOnUndo { [unowned self] in removeAll() } }

    /// A version that a pasteboard keeps; nil where it is not known.
    func version(_ count: UInt64, of board: Board) -> KnownVersion? {
        guard let known = versions[count], known.row.pasteboard == board.id, known.area == board.area else {
            return nil
        }
        return known
    }

    /// The same for a row that was read.
    func version(_ row: VersionRow, _ area: Area) -> KnownVersion? {
        guard let known = versions[row.changeCount], known.row.pasteboard == row.pasteboard, known.area == area,
            known.row.representations == row.representations
        else { return nil }
        return known
    }

    /// Keeps what a version holds, where that is possible.
    func keep(_ version: VersionRow, _ area: Area, _ entries: [RepresentationEntry], _ items: [PasteboardItem]) {
        guard let known = KnownVersion(version, area, entries, items) else { return }
        if byteCount + known.byteCount > Self.most { removeAll() }
        byteCount += known.byteCount
        if let earlier = versions.updateValue(known, forKey: known.row.changeCount) { byteCount -= earlier.byteCount }
    }

    /// Forgets what is known of a version: it is gone, or its row is another one.
    func remove(_ count: UInt64) {
        if let earlier = versions.removeValue(forKey: count) { byteCount -= earlier.byteCount }
    }

    func removeAll() {
        guard !versions.isEmpty else { return }
        versions.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}
