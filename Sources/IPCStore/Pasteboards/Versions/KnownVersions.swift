internal import IPCModel

/// A cached version of a pasteboard with its items, which never change. It has no secret, promise or file, does not
/// expire, and is not for one reader only.
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

    /// An estimate of the memory that the cached version takes, in bytes.
    fileprivate var byteCount: Int { 512 + entries.count * 256 + Int(row.bytes) }
}

extension RepresentationEntry {
    var isInRow: Bool {
        switch value {
        case .text, .bytes: true
        case .file, nil: false
        }
    }
}

/// A cache of the most recently written versions, by change count; emptied whenever anything is undone.
final class KnownVersions {
    private var versions: [UInt64: KnownVersion] = [:]
    private var byteCount = 0

    private static let mostBytes = 4 << 20
    /// A version with more bytes than this is read from the database each time.
    fileprivate static let bytesOfOne: UInt64 = 64 << 10

    init(_ transaction: GroupTransaction) { transaction.emptyOnUndo { [unowned self] in removeAll() } }

    func version(_ count: UInt64, of board: Board) -> KnownVersion? {
        version(count, board.id, board.area)
    }

    func version(_ row: VersionRow, _ area: Area) -> KnownVersion? {
        guard let known = version(row.changeCount, row.pasteboard, area),
            known.row.representations == row.representations
        else { return nil }
        return known
    }

    private func version(_ count: UInt64, _ pasteboard: UInt64, _ area: Area) -> KnownVersion? {
        guard let known = versions[count], known.row.pasteboard == pasteboard, known.area == area else { return nil }
        return known
    }

    func keep(_ version: VersionRow, _ area: Area, _ entries: [RepresentationEntry], _ items: [PasteboardItem]) {
        guard let known = KnownVersion(version, area, entries, items) else { return }
        if byteCount + known.byteCount > Self.mostBytes { removeAll() }
        byteCount += known.byteCount
        if let earlier = versions.updateValue(known, forKey: known.row.changeCount) { byteCount -= earlier.byteCount }
    }

    func remove(_ count: UInt64) {
        if let earlier = versions.removeValue(forKey: count) { byteCount -= earlier.byteCount }
    }

    func removeAll() {
        guard !versions.isEmpty else { return }
        versions.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}
