internal import IPCModel

struct VersionRow {
    let changeCount: UInt64
    /// The key of the pasteboard; 0 for a version that was never on one.
    let pasteboard: UInt64
    /// The change count at which the content was created; 0 if there is none.
    var content: UInt64 = 0
    var items = 0
    /// How many representations of the content belong to the version, counted from its first one.
    var representations = 0
    var bytes: UInt64 = 0
    var pins: UInt64 = 0
    let source: Source
    /// When the version was written, in milliseconds since 1970.
    let time: UInt64
    /// When the version expires, in milliseconds since 1970; `nil` for never.
    var expiresAt: UInt64?
    var flags: VersionFlags = []
    /// The text of the version's ``Promisers``; empty if there are no promises.
    var writer = ""

    var isSensitive: Bool { flags.contains(.sensitive) }
    var isOnce: Bool { flags.contains(.once) }

    var usage: Usage { Usage(items: UInt64(items), bytes: bytes) }

    init(changeCount: UInt64, pasteboard: UInt64, source: Source, time: UInt64) {
        (self.changeCount, self.pasteboard, self.source, self.time) = (changeCount, pasteboard, source, time)
    }

    var columns: [SQLValue] {
        [
            .number(changeCount), .number(pasteboard), .number(content), .number(items), .number(representations),
            .number(bytes), .number(pins), .number(time), .number(expiresAt),
            .number(flags.rawValue), .integer(source.strength.number), .text(source.application), .text(writer),
        ]
    }

    var columnsWithChecksum: [SQLValue] {
        let columns = columns
        return columns + [Checksum.of(columns, in: .version)]
    }

    /// Reads a row of `SELECT *`; `nil` if it is damaged.
    init?(_ row: SQLRow) {
        guard row.isIntact(.version, checksum: 13),
            let source = Source(stored: row.text(11), strength: row.integer(10))
        else { return nil }
        self.init(changeCount: row.number(0), pasteboard: row.number(1), source: source, time: row.number(7))
        (content, items, representations) = (row.number(2), Int(row.integer(3)), Int(row.integer(4)))
        guard representations <= ContentKeys.most, items <= representations else { return nil }
        (bytes, pins, flags) = (row.number(5), row.number(6), VersionFlags(rawValue: row.number(9)))
        writer = row.text(12)
        expiresAt = row.isNull(8) ? nil : row.number(8)
    }
}

/// The raw values are stored in the database, so they must never change.
struct VersionFlags: OptionSet {
    let rawValue: UInt64

    static let sensitive = VersionFlags(rawValue: 1)
    static let once = VersionFlags(rawValue: 2)
}

extension Source {
    /// Creates a source from its columns; `nil` if the broker gives no program such a source.
    init?(stored application: String, strength number: Int64) {
        guard let strength = SourceStrength(number: number), strength.allows(id: application) else { return nil }
        self.init(application: application, strength: strength)
    }
}

extension SourceStrength {
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

/// The keys of the representations that belong to the same content.
struct ContentKeys {
    let content: UInt64

    static let most = 65_535

    /// The key of the representation with an ordinal, counted from 0 across all items.
    func key(_ ordinal: Int) -> SQLValue { .number(number(ordinal)) }

    func number(_ ordinal: Int) -> UInt64 { content << 20 | UInt64(ordinal) }

    /// The first and the last key that the content can have.
    var range: [SQLValue] { [key(0), key(1 << 20 - 1)] }

    /// The first and the last key of the first `count` representations.
    func range(_ count: Int) -> [SQLValue] { [key(0), key(count - 1)] }
}
