import IPCModel
import IPCTesting
import Testing

@testable import IPCStore

/// Values in rows that are too long to be read together with their row.
@Suite struct LongValueTests {
    let place: TestPlace
    let board = PasteboardName.named("demo.Board")

    init() throws { place = try TestPlace() }

    private static let lengths = [65_535, 65_536, 65_537, 1 << 20]

    private func written(_ items: [PasteboardItem], persistent: Bool = true) async throws -> Store {
        let store = try place.open()
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            _ = try transaction.setItems(items, on: board)
        }
        return store
    }

    @Test(arguments: [true, false])
    func `long texts and bytes come back as they were written`(persistent: Bool) async throws {
        let items = try Self.lengths.map { length in
            // Letters of two bytes, at odd and even places.
            let text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
            return try PasteboardItem([
                Representation(type: .html, value: .text(text)),
                Representation(
                    type: try ContentType("a/b"), value: .bytes((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) })
                ),
            ])
        }
        let store = try await written(items, persistent: persistent)
        #expect(try await store.commit { try $0.items(of: board).items } == items)
        for (number, item) in items.enumerated() {
            for value in item.representations {
                let read = try await store.commit {
                    try $0.representation(UInt32(number), value.type, of: board).representation
                }
                #expect(read == value)
            }
        }
        try await store.close()
    }

    /// Changes the columns of the row of a long value, with a valid checksum.
    @Test(arguments: [
        "shorter", "longer", "null", "another text", "a smaller size", "a larger size", "the greatest size",
    ])
    func `I5: a long value that differs from its row is reported as damaged`(change: String) async throws {
        let value = String(repeating: "v", count: 100_000)
        let store = try await written([.string(value)])
        try await store.commit { transaction in
            let group = transaction.session.transaction
            try group.statement("PRAGMA ignore_check_constraints = 1", .persistent).run()
            var row: [SQLValue] = []
            try group.statement("SELECT * FROM @.representation", .persistent).query { row = $0.values }
            switch change {
            case "shorter": row[7] = .textBytes(String(value.dropLast()))
            case "longer": row[7] = .textBytes(value + "v")
            case "null": row[7] = .null
            case "another text": row[7] = .textBytes(String(value.dropLast()) + "w")
            case "a smaller size": row[4] = .integer(99_999)
            case "the greatest size": row[4] = .integer(1 << 53)
            default: row[4] = .integer(100_001)
            }
            row[6] = Checksum.of(row, first: 6, in: .representation)
            try group.write("DELETE FROM @.representation", .persistent, [])
            try group.write("INSERT INTO @.representation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .persistent, row)
        }
        await #expect(throws: PasteboardError.self) { try await store.commit { try $0.items(of: board).items } }
        await #expect(throws: PasteboardError.self) {
            try await store.commit { try $0.representation(0, .utf8PlainText, of: board).representation }
        }
        try await store.close()
    }

    /// A page of the value in the file that changes while the broker is not running.
    @Test func `I5: a flipped bit anywhere in a long value is found`() async throws {
        let value = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
        let store = try await written([
            try PasteboardItem([Representation(type: try ContentType("a/b"), value: .bytes(value))])
        ])
        try await store.close()
        let file = try place.bytes(place.database)
        for start in stride(from: 0, to: value.count - 16, by: 20_000) {
            let pattern = value[start..<start + 16]
            let found = try #require(
                (0..<file.count - 16).first { file[$0] == pattern[start] && file[$0..<$0 + 16].elementsEqual(pattern) })
            var damaged = file
            damaged[found + 8] ^= 1
            try place.write(damaged, to: place.database)
            let store = try place.open()
            await #expect(throws: PasteboardError.self) { try await store.commit { try $0.items(of: board).items } }
            try await store.close()
        }
        try place.write(file, to: place.database)
        let intact = try place.open()
        let item = try await intact.commit { try $0.items(of: board).items.first }
        #expect(item?.representations.first?.value == .bytes(value))
        try await intact.close()
    }
}
