import IPCModel
import IPCTesting
import Testing

@Suite("RequestID")
struct RequestIDTests {
    @Test(
        "An id is 16 to 64 letters, digits and hyphens",
        arguments: [
            "0123456789abcdef", "0123456789ABCDEF", "----------------", "aaaaaaaaaaaaaaaa", "0000000000000000",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "abcdefghijklmnopq",
            "request-2024-01-01", "Z-Z-Z-Z-Z-Z-Z-Z-Z", "-0123456789abcde", "0123456789abcde-", "AbCdEfGhIjKlMnOp",
            "1234567890123456789012345678901234567890", "x0123456789abcdef", "a-b-c-d-e-f-g-h-i",
            String(repeating: "a", count: 16), String(repeating: "b", count: 63), String(repeating: "c", count: 64),
            "018f4e9b-7c6a-7b3e-9f00-0123456789ab", "ffffffffffffffff",
        ])
    func good(text: String) throws {
        #expect(try RequestID(text).text == text)
    }

    private static let badRows: [(text: String, complaint: String)] = [
        ("", "“” has 0 characters; it needs 16 to 64, a random UUID fits"),
        ("a", "“a” has 1 character; it needs 16 to 64, a random UUID fits"),
        ("0123456789abcde", "“0123456789abcde” has 15 characters; it needs 16 to 64, a random UUID fits"),
        ("0123456789_abcdef", Self.holding("0123456789_abcdef", "“_”")),
        ("0123456789 abcdef", Self.holding("0123456789 abcdef", "U+0020")),
        ("0123456789.abcdef", Self.holding("0123456789.abcdef", "“.”")),
        ("0123456789/abcdef", Self.holding("0123456789/abcdef", "“/”")),
        ("../../../../etc/passwd", Self.holding("../../../../etc/passwd", "“.”")),
        ("{6ba7b810-9dad-11d1}", Self.holding("{6ba7b810-9dad-11d1}", "“{”")),
        ("0123456789abcdef\n", Self.holding("0123456789abcdefU+000A", "U+000A")),
        ("\u{0}0123456789abcdef", Self.holding("U+00000123456789abcdef", "U+0000")),
        ("0123456789abcdef\u{0}", Self.holding("0123456789abcdefU+0000", "U+0000")),
        ("0123456789abcdeé", Self.holding("0123456789abcdeé", "“é”")),
        ("０１２３４５６７８９abcdef", Self.holding("０１２３４５６７８９abcdef", "“０”")),
        ("'; DROP TABLE requests; --", Self.holding("'; DROP TABLE requests; --", "“'”")),
        ("0123456789abcdef%", Self.holding("0123456789abcdef%", "“%”")),
        ("0123456789abcdef\u{7F}", Self.holding("0123456789abcdefU+007F", "U+007F")),
        ("0123456789+abcdef", Self.holding("0123456789+abcdef", "“+”")),
        ("urn:uuid:6ba7b810-9dad", Self.holding("urn:uuid:6ba7b810-9dad", "“:”")),
        ("日本語日本語日本語日本語日本語日", Self.holding("日本語日本語日本語日本語日本語日", "“日”")),
        ("0123456789abcdef\u{202E}", Self.holding("0123456789abcdefU+202E", "U+202E")),
    ]

    @Test("A bad id is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, complaint: String) {
        let error = #expect(throws: IPCError.self) { try RequestID(text) }
        #expect(error?.ipcError == IPCError(.invalidArguments, "the id " + complaint))
        if let error { expectSentence(error) }
    }

    private static func holding(_ quoted: String, _ scalar: String) -> String {
        "“\(quoted)” contains \(scalar); only letters, digits and “-” are allowed"
    }

    @Test("65 characters are too many")
    func tooLong() {
        let text = String(repeating: "a", count: 65)
        let error = #expect(throws: IPCError.self) { try RequestID(text) }
        #expect(error?.message.contains("…” has 65 characters; it needs 16 to 64") == true)
    }

    @Test("Random ids are UUIDs of version 4, RFC 9562 §5.4, and all different")
    func random() throws {
        var generator = SeededGenerator(seed: 4)
        let ids = (0..<10_000).map { _ in RequestID.random(using: &generator) }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            let text = Array(id.text)
            try #require(try RequestID(id.text) == id)
            try #require(text.count == 36 && text[14] == "4" && "89ab".contains(text[19]))
            try #require(text.indices.filter { text[$0] == "-" } == [8, 13, 18, 23])
        }
        #expect(RequestID.random() != RequestID.random())
    }
}
