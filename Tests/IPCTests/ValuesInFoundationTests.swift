import Foundation
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Compares the library's JSON coder with Foundation's, which writes all numbers as JSON numbers.
struct ValuesInFoundationTests {
    struct Record: Codable, Hashable {
        var id: UInt64, offset: Int64, wide: Int128, small: [UInt8], medium: Int32
        var double: [Double], single: Float
        var text: String, flag: Bool, missing: Int?, nothing: [Int?]
        var children: [Record], byName: [String: [UInt32]], byNumber: [Int: String]
        var choice: Choice

        enum Choice: Codable, Hashable {
            case none
            case one(UInt64)
            case two(name: String, Double)
        }
    }

    /// A record of strings, booleans and short integers, which both coders write alike.
    struct Plain: Codable, Hashable {
        var text: String, flag: Bool, small: Int8, medium: [UInt32], children: [Plain], byName: [String: Bool?]
    }

    private struct Generator {
        var random: SeededGenerator

        mutating func integer<Integer: FixedWidthInteger>() -> Integer {
            .random(in: .min ... .max, using: &random)
                >> Integer.random(in: 0..<Integer(Integer.bitWidth - 1), using: &random)
        }
        mutating func double() -> Double {
            let value = Double(bitPattern: integer())
            return value.isFinite ? value : 0.1
        }
        mutating func some<Element>(_ make: (inout Generator) -> Element) -> [Element] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in make(&self) }
        }
        mutating func text() -> String {
            some { generator in Unicode.Scalar(UInt32.random(in: 0...0x1_20FF, using: &generator.random)) }
                .compactMap { $0 }.map { String($0) }.joined()
        }
        mutating func plain(depth: Int = 0) -> Plain {
            Plain(
                text: text(), flag: .random(using: &random), small: integer(), medium: some { $0.integer() },
                children: depth < 2 ? some { $0.plain(depth: depth + 1) } : [],
                byName: Dictionary(some { ($0.text(), Bool?.none) } + [("one", true)], uniquingKeysWith: { $1 }))
        }
        mutating func record(depth: Int = 0) -> Record {
            Record(
                id: integer(), offset: integer(), wide: Int128(integer() as Int64) << 50, small: some { $0.integer() },
                medium: integer(), double: some { $0.double() }, single: Float(integer() as Int32) / 7, text: text(),
                flag: .random(using: &random), missing: Bool.random(using: &random) ? integer() : nil,
                nothing: [nil, integer()], children: depth < 2 ? some { $0.record(depth: depth + 1) } : [],
                byName: Dictionary(some { ($0.text(), [$0.integer()]) }, uniquingKeysWith: { $1 }),
                byNumber: Dictionary(some { ($0.integer(), $0.text()) }, uniquingKeysWith: { $1 }),
                choice: [.none, .one(integer()), .two(name: text(), double())].randomElement(using: &random)!)
        }
    }

    @Test func `values written by Foundation are read`() throws {
        var generator = Generator(random: .forTest("a value that Foundation has written is read"))
        for _ in 0..<200 {
            let record = generator.record()
            let item = PasteboardItem.data(Array(try JSONEncoder().encode(record)), type: .json)
            try #require(try item.value(Record.self) == record)
        }
    }

    @Test func `Foundation reads values without long numbers`() throws {
        var generator = Generator(random: .forTest("a value without long numbers is read by Foundation"))
        for _ in 0..<200 {
            let plain = generator.plain()
            let bytes = try PasteboardItem.value(plain).representations[0].value.content
            try #require(try JSONDecoder().decode(Plain.self, from: Data(bytes)) == plain)
            try #require(try PasteboardItem.data(bytes, type: .json).value(Plain.self) == plain)
        }
    }

    /// Negative control: a long number is written as a string, which Foundation does not accept as a number.
    @Test func `Foundation does not read a long number`() throws {
        let bytes = try PasteboardItem.value([UInt64.max]).representations[0].value.content
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([UInt64].self, from: Data(bytes)) }
    }
}
