package import IPCModel

/// A pasteboard, as stored in its row.
package struct Board: Sendable {
    /// The change count at which the pasteboard was created.
    let id: UInt64
    package let name: PasteboardName
    var area: Area
    /// How many versions are kept besides the current one.
    package internal(set) var historyLimit: UInt32
    /// When the pasteboard was created, in milliseconds since 1970.
    package let created: UInt64
    /// The application id of the creator; empty if the creator gave none.
    package let source: String
    /// The change counts of the versions that the pasteboard keeps, oldest first; the current version is the last one.
    package internal(set) var versions: [UInt64]
    /// Whether the first reader consumes the current version; `nil` until that version's row has been read.
    var isCurrentForOneReader: Bool?

    package var changeCount: UInt64 { versions[versions.count - 1] }
    package var isPersistent: Bool { area == .persistent }

    var columns: [SQLValue] {
        [
            .number(id), .text(name.text), .number(changeCount), .number(UInt64(historyLimit)), .number(created),
            .bytes(packedVersions), .text(source),
        ]
    }

    private var packedVersions: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(versions.count * 8)
        for version in versions { bytes.append(number: version) }
        return bytes
    }
}

extension Board {
    /// Reads a row of `SELECT *`; `nil` if it is damaged.
    init?(_ row: SQLRow, _ area: Area) {
        guard row.isIntact(.pasteboard, checksum: 7), let name = try? PasteboardName(row.text(1)),
            Source.canHave(id: row.text(6))
        else { return nil }
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

/// A change to a pasteboard, or its removal.
package struct PasteboardMove: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count assigned to the change or removal.
    package let changeCount: UInt64
    /// The pasteboard's settings after the change; `nil` after a removal.
    package let state: State?

    package struct State: Sendable, Hashable {
        package let isPersistent: Bool
        package let historyLimit: UInt32
    }
}
