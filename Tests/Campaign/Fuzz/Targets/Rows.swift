#if DEBUG || FUZZING
    @testable import IPCModel
    @testable import IPCStore

    /// A row of the store with any values in its columns, and a right checksum: it is rejected, or it can be written again
    /// and is then the same.
    enum RowTarget: FuzzTarget {
        static let name = "row"

        /// A table: an intact row, and a function that reads a row, and returns what would be written for it.
        private struct Table {
            let row: [SQLValue]
            let checksum: Int
            let domain: Checksum.Domain
            let rewritten: (SQLRow) -> [SQLValue]?
        }

        nonisolated(unsafe) private static let database: Database = {
            guard let database = try? Database(":memory:") else { broken("there is no database") }
            return database
        }()
        nonisolated(unsafe) private static var statements: [Int: PreparedStatement] = [:]

        static func check(_ input: [UInt8]) {
            var reader = InputReader(input)
            let table = tables[Int(reader.byte()) % tables.count]
            var row = table.row
            while !reader.rest.isEmpty {
                let column = Int(reader.byte()) % row.count
                if column != table.checksum { row[column] = value(&reader) }
            }
            // SQLite itself writes no value of another kind to a column, but a file may contain one.
            let isTyped = zip(row, table.row).allSatisfy { kind($0) == 0 || kind($0) == kind($1) }
            guard let written = read(row, table), isTyped else { return }
            guard let again = read(written, table) else { broken("a row that was read is rejected when it is written") }
            guard bytes(written) == bytes(again) else { broken("a row that was read is written as another one") }
        }

        private static func kind(_ value: SQLValue) -> Int {
            switch value {
            case .null: 0
            case .integer: 1
            case .text: 2
            case .textBytes, .bytes: 3
            }
        }

        private static func value(_ reader: inout InputReader) -> SQLValue {
            switch reader.byte() % 8 {
            case 0: .null
            case 1: .integer(reader.number())
            case 2: .integer(Int64(Int8(bitPattern: reader.byte())))
            case 3: .integer(Int64(1) << Int64(reader.byte() % 64))
            case 4, 5: .text(String(decoding: reader.bytes(Int(reader.byte())), as: UTF8.self))
            default: .bytes(reader.bytes(Int(reader.byte())))
            }
        }

        private static func read(_ row: [SQLValue], _ table: Table) -> [SQLValue]? {
            var row = row
            row[table.checksum] = Checksum.of(row, first: table.checksum, in: table.domain)
            let marks = row.map { _ in "?" }.joined(separator: ", ")
            do {
                let statement = try statements[row.count] ?? PreparedStatement("SELECT \(marks)", on: database)
                statements[row.count] = statement
                return try statement.first(row) { table.rewritten($0) }
            } catch { broken("the row cannot be selected: \(error)") }
        }

        /// All columns as bytes, each with its kind.
        private static func bytes(_ row: [SQLValue]) -> [UInt8] {
            row.reduce(into: []) { bytes, column in
                switch column {
                case .null: bytes.append(0)
                case .integer(let number): bytes.append(number: UInt64(bitPattern: number))
                case .text(let text), .textBytes(let text): bytes.append(field: text)
                case .bytes(let content): bytes.append(field: content)
                }
            }
        }

        // MARK: Tables

        nonisolated(unsafe) private static let tables: [Table] = [
            pasteboard, version, representation, request, claim, choice, policy, live,
        ]

        private static let names: (ApplicationID, URLScheme) = ("demo.Claimant", "demo.x")

        private static var pasteboard: Table {
            let row: [SQLValue] = [
                .integer(1), .text("demo.Board"), .integer(2), .integer(3), .integer(4),
                .bytes([2, 0, 0, 0, 0, 0, 0, 0]),
                .text("demo.A"), .null,
            ]
            return Table(row: row, checksum: 7, domain: .pasteboard) { row in
                Board(row, .persistent).map { $0.columns + [.null] }
            }
        }

        private static var version: Table {
            var sample = VersionRow(
                changeCount: 3, pasteboard: 1, source: Source(application: "demo.A", strength: .owned), time: 5)
            (sample.items, sample.representations, sample.expiresAt) = (1, 2, 9)
            return Table(row: sample.columnsWithChecksum, checksum: 13, domain: .version) {
                VersionRow($0)?.columnsWithChecksum
            }
        }

        private static var representation: Table {
            let row = RepresentationRow(item: 0, kind: 0, type: "text/plain", size: 1, digest: ContentDigest(of: [65]))
            let entry = RepresentationEntry(row: row, value: .bytes([65]))
            return Table(row: entry.columns(key: 1 << 20), checksum: 6, domain: .representation) { row in
                guard let head = RepresentationRow(row) else { return nil }
                return RepresentationEntry(row: head, value: head.value(row)).columns(key: row.number(0))
            }
        }

        private static var request: Table {
            var sample = RequestRecord(
                id: .random(), arguments: ContentDigest(of: [1]), state: .ended,
                source: Source(application: "demo.A", strength: .owned), caller: ":1.1@bus 1-2", application: "demo.B",
                url: "demo.x:y", pasteboard: "demo.Board", changeCount: 4, timeout: 1, parent: .random(),
                depth: 1,
                accepted: 1, expiresAt: 2, context: [1])
            sample.reply = [.string("reply"), .data([1, 2])]
            sample.trace = [TraceStep(.queued, at: 1, who: "demo.A")]
            (sample.outcome, sample.ended) = (.handled, 3)
            return Table(row: sample.columns(5, replyKeptBytes: 1 << 20), checksum: 30, domain: .openRequest) { row in
                _ = RequestRecord(outline: row)?.payer
                return RequestRecord(row)?.columns(row.integer(0), replyKeptBytes: 1 << 20)
            }
        }

        private static var claim: Table {
            let sample = StoredClaim(application: names.0, scheme: names.1, time: 1).columns(1) + [.null]
            return Table(row: sample, checksum: 6, domain: .schemeClaim) { row in
                StoredClaim(row).map { $0.columns(row.integer(0)) + [.null] }
            }
        }

        private static var choice: Table {
            let row: [SQLValue] = [.integer(1), .text(names.1.spelling), .text(names.0.text), .integer(1), .null]
            return Table(row: row, checksum: 4, domain: .schemeDefault) { row in
                StoredDefault(row).map {
                    [row.value(0), .text($0.scheme.spelling), .text($0.application.text), row.value(3), .null]
                }
            }
        }

        private static func packed(_ texts: [String]) -> SQLValue {
            .bytes(texts.reduce(into: []) { $0.append(field: $1) })
        }

        private static var policy: Table {
            let row: [SQLValue] = [
                .integer(1), .text(names.0.text), .integer(0), packed(["demo.A", "demo.B"]), packed([]), .null,
            ]
            return Table(row: row, checksum: 5, domain: .policy) { row in
                AccessPolicy(row).map { policy in
                    let ids = [policy.allowed, policy.refused].map { packed($0.sorted().map(\.text)) }
                    return [row.value(0), row.value(1), .integer(policy.allowsOthers ? 1 : 0)] + ids + [.null]
                }
            }
        }

        private static var live: Table {
            let row: [SQLValue] = [
                .integer(1), .text(names.0.text), .text(":1.1@bus"), packed(["demo.x"]), .integer(1), .integer(1),
                .null,
            ]
            return Table(row: row, checksum: 6, domain: .liveClaim) { row in
                LiveClaims(row).map {
                    [
                        row.value(0), .text($0.application.text), .text($0.owner), packed($0.schemes.map(\.spelling)),
                        .number(UInt64($0.window)), .number($0.takesDescriptors ? 1 : 0), .null,
                    ]
                }
            }
        }
    }
#endif
