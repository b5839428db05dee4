import IPCTesting
import Testing

/// Strings that are not valid URLs. Every row is tried in all three ways in which a URL can arrive.
@Suite(.privateBus) struct BadURLTests {
    private static func rows(_ urls: [String], naming word: String) -> [BadCall] {
        urls.flatMap { url in
            [WireCall.openURL(url), .canOpenURL(url), .resolveURL(url)].map {
                BadCall("“\(url)”", $0, "InvalidURL", naming: word)
            }
        }
    }

    static let withoutScheme = rows(
        [
            "", "foo", "/", "//host/path", "/usr/bin/env", "?query", "#fragment", "www.example.com", "foo/bar:baz",
            "?a:b", "#a:b", "/a:b", "./a:b", "..", ":", "://host", ":rest", " ", "%41", "hello world", "日本語",
            "handler.demo", "handler.demo/:x", "-",
        ], naming: "scheme")

    @Test func `I23: a URL without a scheme is InvalidURL`() async throws {
        try await BadCall.expectRefused(Self.withoutScheme)
    }

    private static let withBadScheme = rows(
        [
            "1abc:x", "9:x", "+a:x", "-a:x", ".a:x", "a_b:x", "a b:x", " a:x", "a%41:x", "a*b:x", "ä:x", "aä:x",
            "ａｂ:x", "a@b:x", "a!b:x", "a,b:x", "a;b:x", "a=b:x", "a\"b:x", "[::1]:x", "a~b:x", "a|b:x", "İ:x",
            "a\u{301}:x", "a\u{200B}b:x", "handler.demo :x", "«x»:y", "a\\b:x",
        ], naming: "scheme")

    private static let badSchemes: [BadCall] = ["", "1a", "a:", "a b", "ä", "a_b", "a/b", "handler.demo:", "-"].flatMap
    {
        (scheme: String) -> [BadCall] in
        let calls: [WireCall] = [
            .register("demo.Handler", [scheme], ["persistent": .b(true)]),
            .register("demo.Handler", ["good.demo", scheme], ["persistent": .b(true)]),
            .unregister("demo.Handler", [scheme]), .setDefault(scheme, "demo.Handler"),
        ]
        let listed: [WireCall] =
            scheme.isEmpty ? [] : [.listHandlers(scheme), .listHandlers("", ["after": .s(scheme)])]
        return (calls + listed).enumerated().map { BadCall("“\(scheme)” \($0)", $1, "InvalidName", naming: "scheme") }
    }

    @Test func `I23: an invalid scheme is rejected with its whole list`() async throws {
        try await BadCall.expectRefused(Self.withBadScheme + Self.badSchemes)
    }

    private static func named(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static let c0 = (Array(1...0x1F) + [0x7F]).compactMap { Unicode.Scalar($0 as UInt32) }
    private static let c1 = (0x80...0x9F).compactMap { Unicode.Scalar($0 as UInt32) }

    private static let inURLs: [BadCall] = c0.flatMap { scalar -> [BadCall] in
        let calls: [WireCall] = [
            .openURL("handler.demo:a\(scalar)b"), .openURL("\(scalar)handler.demo:x"),
            .openURL("handler.demo:x\(scalar)"),
            .canOpenURL("handler.demo:\(scalar)"), .resolveURL("handler.demo:\(scalar)"),
        ]
        return calls.enumerated().map { BadCall("\(named(scalar)) \($0)", $1, "InvalidURL", naming: named(scalar)) }
    }

    private static let inNames: [BadCall] = (c0 + c1).map { scalar in
        BadCall(named(scalar), .getPasteboard("a\(scalar)b"), "InvalidName", naming: named(scalar))
    }

    private static let elsewhere: [BadCall] = ["\t", "\n", "\u{1B}", "\u{7F}", "\u{85}"].flatMap {
        (scalar: Unicode.Scalar) -> [BadCall] in
        let types: [WireCall] = [.setItems(.item("x", "text/pl\(scalar)ain")), .getData(0, "text/\(scalar)")]
        let names: [WireCall] = [
            .register("demo.\(scalar)A", ["a"]), .removePasteboard("\(scalar)"),
            .waitForChange(["\(scalar)"], since: 0),
            .openURL("handler.demo:", ["items": .item("x"), "pasteboard": .s("\(scalar)")]),
        ]
        return types.map { BadCall("type \(named(scalar))", $0, "InvalidArguments", naming: named(scalar)) }
            + names.map { BadCall("name \(named(scalar))", $0, "InvalidName", naming: named(scalar)) }
    }

    static let withControls = inURLs + inNames + elsewhere + withNUL

    private static let withNUL: [BadCall] = [
        BadCall(
            thrownOff: "NUL in a URL", WireCall("URLs1", "OpenURL", [.rawText(Array("handler.demo:a\0b".utf8)), .none])),
        BadCall(
            thrownOff: "NUL first", WireCall("URLs1", "OpenURL", [.rawText(Array("\0handler.demo:".utf8)), .none])),
        BadCall(
            thrownOff: "NUL last", WireCall("Schemes1", "CanOpenURL", [.rawText(Array("handler.demo:\0".utf8)), .none])),
        BadCall(thrownOff: "NUL alone", WireCall("Schemes1", "ResolveURL", [.rawText([0]), .none])),
        BadCall(
            thrownOff: "NUL in a name",
            WireCall("Pasteboards1", "GetPasteboard", [.rawText(Array("a\0b".utf8)), .options(["create": .b(true)])])),
        BadCall(
            thrownOff: "NUL in a value", .setItems(.items([[("text/plain", .rawText(Array("a\0b".utf8)))]]))),
        BadCall(
            thrownOff: "NUL in an option",
            .setItems(.item("x"), ["id": .rawText(Array("0123456789abcdef\0".utf8))])),
        BadCall(thrownOff: "not UTF-8 in a URL", WireCall("URLs1", "OpenURL", [.rawText([0x61, 0x3A, 0xFF]), .none])),
        BadCall(
            thrownOff: "overlong UTF-8", WireCall("URLs1", "OpenURL", [.rawText([0x61, 0x3A, 0xC0, 0x80]), .none])),
        BadCall(
            thrownOff: "a surrogate", WireCall("URLs1", "OpenURL", [.rawText([0x61, 0x3A, 0xED, 0xA0, 0x80]), .none])),
        BadCall(thrownOff: "cut UTF-8", WireCall("URLs1", "OpenURL", [.rawText([0x61, 0x3A, 0xE3, 0x81]), .none])),
        BadCall(
            thrownOff: "not UTF-8 in a value", .setItems(.items([[("text/plain", .rawText([0xC3, 0x28]))]]))),
    ]

    @Test func `I20, I23: control characters are rejected, and NUL does not pass the bus`() async throws {
        try await BadCall.expectRefused(Self.withControls)
    }
}
