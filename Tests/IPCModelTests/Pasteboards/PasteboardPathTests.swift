import IPCModel
import IPCTesting
import Testing

@Suite("The path of a pasteboard")
struct PasteboardPathTests {
    private static let escapingRows: [(text: String, element: String)] = [
        ("general", "general"),
        ("demo.IPCClient", "demo_2eIPCClient"),
        ("my board", "my_20board"),
        ("a_b", "a_5fb"),
        ("_", "_5f"),
        ("__", "_5f_5f"),
        ("a-b", "a_2db"),
        ("/", "_2f"),
        ("..", "_2e_2e"),
        ("A1z9", "A1z9"),
        ("0", "0"),
        ("é", "_c3_a9"),
        ("e\u{301}", "e_cc_81"),
        ("日", "_e6_97_a5"),
        ("🗂", "_f0_9f_97_82"),
        ("~", "_7e"),
        (" ", "_20"),
        ("%41", "_2541"),
        ("@[`{", "_40_5b_60_7b"),
        ("/:", "_2f_3a"),
        ("unique-1", "unique_2d1"),
    ]

    @Test(
        "Each byte except letters and digits becomes “_” and two lowercase hexadecimal digits", arguments: escapingRows)
    func escaping(text: String, element: String) throws {
        let name = try PasteboardName(text)
        #expect(name.pathElement == element)
        #expect(PasteboardName(pathElement: element) == name)
    }

    @Test(
        "Only the canonical escaping is accepted, so that a pasteboard has one path",
        arguments: [
            "", "_", "a_", "_2", "a_2", "_2g", "_g2", "_5F", "_C3_A9", "_41", "_30", "_7a", "a.b", "a-b", "a b", "é",
            "_c3", "_c3_28", "_ff", "_ed_a0_80", "_f4_90_80_80", "_c0_af", "_00", "_0a", "_7f", "_c2_85", "__5f",
            "_ 2", "_+1", "_5_f", "a_2e_", "general/", "\u{0}", "_2\u{0}",
        ])
    func strict(element: String) {
        #expect(PasteboardName(pathElement: element) == nil)
    }

    @Test("The path of an overlong name names nothing")
    func tooLong() throws {
        let longest = try PasteboardName(String(repeating: "_", count: 255))
        #expect(longest.pathElement.utf8.count == 765)
        #expect(PasteboardName(pathElement: longest.pathElement) == longest)
        #expect(PasteboardName(pathElement: longest.pathElement + "_5f") == nil)
    }

    @Test("Escaping and its inverse agree on random texts", arguments: 1...8 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let name = Self.name(using: &generator)
            let element = name.pathElement
            let isPlain = element.utf8.allSatisfy {
                UInt8(ascii: "_") == $0 || Character(Unicode.Scalar($0)).isHexOrLetter
            }
            try #require(isPlain)
            try #require(PasteboardName(pathElement: element) == name)
        }
    }

    @Test("Every accepted path is the path of the name that it gives", arguments: 1...8 as ClosedRange<UInt64>)
    func randomElements(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("_______0123456789abcdefABCz. ")
        var taken = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...6, using: &generator)
            let element = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "_" })
            guard let name = PasteboardName(pathElement: element) else { continue }
            taken += 1
            try #require(name.pathElement == element)
        }
        try #require(taken > 1_000)
    }

    private static func name(using generator: inout SeededGenerator) -> PasteboardName {
        while true {
            let length = Int.random(in: 1...40, using: &generator)
            let scalars = (0..<length).compactMap { _ in
                let most: UInt32 = Bool.random(using: &generator) ? 0x7E : 0x10FFFF
                return Unicode.Scalar(UInt32.random(in: 0x20...most, using: &generator))
            }
            if let name = try? PasteboardName(String(String.UnicodeScalarView(scalars))) { return name }
        }
    }
}

extension Character {
    fileprivate var isHexOrLetter: Bool { isASCII && (isLetter || isNumber) }
}
