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
