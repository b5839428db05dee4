import IPCTesting
import Testing

@testable import IPCStore

/// Values keep their type and all of their bytes; Python's `sqlite3` is the oracle.
@Suite struct DatabaseValueTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    /// The type of a value as named by `typeof`, and its number or bytes.
    private static func shown(_ value: SQLValue) -> String {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        return switch value {
        case .null: "null None"
        case .integer(let number): "integer \(number)"
        case .text(let text): "text \(hex(text.utf8))"
        case .textBytes(let text): "blob \(hex(text.utf8))"
        case .bytes(let bytes): "blob \(hex(bytes))"
        }
    }

    private static let known: [[SQLValue]] = [
        [.null, .text(""), .bytes([]), .textBytes("")],
        [.integer(.min), .integer(.max), .integer(0), .integer(-1)],
        [.text("\0"), .text("a\0b"), .textBytes("a\0b\0"), .bytes([0])],
        [.text("ä€𝄞"), .text("'"), .bytes([0xFF, 0]), .text("\u{FEFF}\u{FFFF}")],
        // Text and bytes just below and just above the length that a short value may have.
        [
            .text(String(repeating: "x", count: 1_024)), .text(String(repeating: "y", count: 1_025)),
            .bytes([UInt8](repeating: 1, count: 1_024)), .textBytes(String(repeating: "z", count: 5_000)),
        ],
    ]

    private static func random(_ random: inout SeededGenerator) -> SQLValue {
        let count = Int.random(in: 0...[3, 40, 1_100, 3_000].randomElement(using: &random)!, using: &random)
        func text() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<count {
                let bound: UInt32 = [0x7F, 0x7FF, 0x10FFFF].randomElement(using: &random)!
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...bound, using: &random)) { text.append(scalar) }
            }
            return String(text)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .null
        case 1:
            return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
        case 2: return .text(text())
        case 3: return .textBytes(text())
        default: return .bytes((0..<count).map { _ in .random(in: 0...255, using: &random) })
        }
    }

    /// Prints each value, and copies all of them into another database.
    private let program = """
        import sqlite3, sys
        original, copy = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
        original.text_factory = bytes
        copy.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, a, b, c, d)")
        for id, *columns in original.execute(
            "SELECT id, a, typeof(a), b, typeof(b), c, typeof(c), d, typeof(d) FROM row ORDER BY id"):
            values = []
            for value, kind in zip(columns[::2], columns[1::2]):
                print(kind.decode(), value.hex() if isinstance(value, bytes) else value)
                values.append(value.decode() if kind == b"text" else value)
            copy.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?)", [id] + values)
        copy.commit()
        """

    @Test func `values can be exchanged with another program in both directions`() async throws {
        var random = SeededGenerator.forTest("DatabaseValueTests")
        var rows = Self.known
        for _ in 0..<TestSize.pick(small: 300, full: 10_000) { rows.append((0..<4).map { _ in Self.random(&random) }) }
        let expected = rows.flatMap { $0.map(Self.shown) }

        let (file, copy) = (place.path + "/original.sqlite", place.path + "/copy.sqlite")
        try Self.write(rows, to: file)
        #expect(try Self.read(file) == expected)
        let output = try await RunningProcess.run("/usr/bin/python3", ["-c", program, file, copy]).succeeded()
        #expect(output.lines == expected)
        #expect(try Self.read(copy) == expected)
    }

    private static func write(_ rows: [[SQLValue]], to file: String) throws {
        let database = try Database(file)
        try database.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, a, b, c, d)")
        try database.transaction {
            let insert = try PreparedStatement("INSERT INTO row VALUES (NULL, ?, ?, ?, ?)", on: database)
            for row in rows { try insert.run(row) }
        }
        try database.close()
    }

    private static func read(_ file: String) throws -> [String] {
        let database = try Database(file)
        var values: [String] = []
        try PreparedStatement("SELECT a, b, c, d FROM row ORDER BY id", on: database).query { row in
            values += row.values.map(shown)
        }
        try database.close()
        return values
    }
}
