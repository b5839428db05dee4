package import IPCModel

/// A pasteboard as its row has it.
struct Board {
    /// The change count with which it was made.
    let id: UInt64
    let name: PasteboardName
    var area: Area
    var historyLimit: UInt32
    let created: UInt64
    /// The application id of who made it; empty where none was stated.
    let source: String
    /// The change counts of the versions that it keeps, oldest first; the last is the current one.
    var versions: [UInt64]

    /// Whether the current version goes with its first reader; nil where its row was not read yet.
    var isCurrentForOneReader: Bool?

    var changeCount: UInt64 { versions[versions.count - 1] }

    /// The columns of the row without the checksum.
    var columns: [SQLValue] {
        [
            .number(id), .text(name.text), .number(changeCount), .number(UInt64(historyLimit)), .number(created),
            .bytes(packedVersions), .text(source),
        ]
    }

    private var packedVersions: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(versions.count * 8)
        for version in versions {
            withUnsafeBytes(of: version.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}

extension Board {
    /// Reads a row of `SELECT *`; nil where it is damaged.
    init?(_ row: SQLRow, _ area: Area) {
        guard row.isIntact(.pasteboard, checksum: 7), let name = try? PasteboardName(row.text(1)) else { return nil }
        let packed = row.raw(5)
        guard packed.count % 8 == 0 else { return nil }
        self.init(
            id: row.number(0), name: name, area: area, historyLimit: UInt32(truncatingIfNeeded: row.integer(3)),
            created: row.number(4), source: row.text(6),
            versions: stride(from: 0, to: packed.count, by: 8).map {
                UInt64(littleEndian: packed.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            })
        guard !versions.isEmpty, versions.allSatisfy({ $0 > 0 && $0 <= ChangeCounter.greatest }) else { return nil }
    }
}

/// A pasteboard that moved to a new change count, or was removed.
package struct PasteboardMove: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count that the move took.
    package let changeCount: UInt64
    /// What it is now; nil once it is removed.
    package let state: State?

    package struct State: Sendable, Hashable {
        package let isPersistent: Bool
        package let historyLimit: UInt32
    }
}

extension PasteboardMove {
    init(_ board: Board) {
        self.init(
            name: board.name, changeCount: board.changeCount,
            state: State(isPersistent: board.area == .persistent, historyLimit: board.historyLimit))
    }
}
