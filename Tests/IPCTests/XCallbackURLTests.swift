import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of the grammar of x-callback-url 1.0, and of results that are passed as parameters.
struct XCallbackURLTests {
    @Test func percentEncodingFollowsRFC3986() {
        #expect(PercentEncoding.encode("aZ0-._~") == "aZ0-._~")
        #expect(PercentEncoding.encode("a b+c&d=e%/?#") == "a%20b%2Bc%26d%3De%25%2F%3F%23")
        #expect(PercentEncoding.encode("日本🎉") == "%E6%97%A5%E6%9C%AC%F0%9F%8E%89")
        #expect(PercentEncoding.decode("%e6%97%A5+%00") == "日+\0")
        for bad in ["%", "%4", "a%zz", "%%20", "%FF", "%e6%97", "%+1", "% 1"] {
            #expect(PercentEncoding.decode(bad) == nil, "\(bad)")
        }
    }

    @Test(arguments: [
        ("app://x-callback-url/do?a=1", "do"), ("App://X-Callback-URL/do", "do"), ("app://x-callback-url", ""),
        ("app://x-callback-url?x=1", ""), ("app://x-callback-url/a/b%20c#f", "a/b%20c"), ("a:// x", nil),
        ("app://x-callback-urls/do", nil), ("app:/x-callback-url/do", nil), ("app://user@x-callback-url/do", nil),
        ("app://x-callback-url:80/do", nil), ("//x-callback-url/do", nil), ("app:x", nil), ("", nil),
    ])
    func theFormFollowsTheSpecification(_ text: String, _ action: String?) {
        let url = XCallbackURL(text)
        #expect(url?.action == action)
        #expect(url == nil || url?.text == text)
    }

    private func success(_ query: String) -> String? {
        XCallbackURL("app://x-callback-url/do?" + query)?.url(of: .success)
    }

    @Test func unusualParametersAreReadUnchanged() {
        #expect(success("x-success=back%3A%2F%2Fhere%3Fa%3D1%26b%3D2") == "back://here?a=1&b=2")
        #expect(success("a=1&x-success=b:c&x-success=d:e") == "b:c")
        #expect(success("x%2Dsuccess=b:c") == "b:c")
        #expect(success("x-success=b:c=d") == "b:c=d")
        #expect(success("x-success=b:%E6%97%A5%F0%9F%8E%89") == "b:日🎉")
        #expect(success("x-success=b:+") == "b:+")
        #expect(success("&&a&=&x-success=b:c&") == "b:c")
        // A combining mark after a delimiter forms one character with it, but the delimiter still counts.
        #expect(success("a&\u{301}=1&x-success=b:c") == "b:c")
        for none in [
            "", "x-success", "x-success=", "x-success=no-scheme", "x-success=%2F%2Fhost", "x-success=b:%00",
            "x-success=b:%0A", "x-success=b:%zz", "x-success=b:%", "x-success=b:%FF", "X-Success=b:c", "x-error=b:c",
            "a=x-success=b:c", "x-success=1:c",
        ] {
            #expect(success(none) == nil, "\(none)")
        }
        #expect(XCallbackURL("app://x-callback-url/do#?x-success=b:c")?.url(of: .success) == nil)
        #expect(XCallbackURL("app://x-callback-url/do?x-error=b%3A#x")?.url(of: .error) == "b:")
    }

    @Test(arguments: [
        ("b:c", "b:c?k=v%20w"), ("b:c?", "b:c?k=v%20w"), ("b:c?a", "b:c?a&k=v%20w"), ("b:c?a=1&", "b:c?a=1&k=v%20w"),
        ("b:c?a=%zz#f?g", "b:c?a=%zz&k=v%20w#f?g"), ("b:#f", "b:?k=v%20w#f"), ("b:c?#", "b:c?k=v%20w#"),
        ("b:日?ü=🎉 x", "b:日?ü=🎉 x&k=v%20w"),
    ])
    func addingParametersChangesNothingElse(_ before: String, _ after: String) {
        #expect((["k": "v w"] as URLParameters).added(to: before) == after)
        #expect(URLParameters().added(to: before) == before)
    }

    @Test func anyURLSurvivesByteForByte() throws {
        var random = SeededGenerator.forTest("x-callback-url: bytes")
        for _ in 0..<5_000 {
            let text = "app://x-callback-url/do?" + random.text(from: "&=?#%+/: aA0日🎉\u{301}é;x-success".unicodeScalars)
            try #require(XCallbackURL(text).map { Array($0.text.utf8) } == Array(text.utf8))
        }
    }

    @Test func anyParametersSurviveARoundTrip() throws {
        var random = SeededGenerator.forTest("x-callback-url: parameters")
        for _ in 0..<5_000 {
            let pairs = URLParameters(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    URLParameters.Parameter(name: random.anyText(), value: random.anyText())
                })
            let before = "app://x-callback-url/do" + (Bool.random(using: &random) ? "?a=%zz&&b#f" : "")
            let url = XCallbackURL(before)?.adding(pairs)
            let read = try #require(url.flatMap { XCallbackURL($0.text) }, "\(before) is not read again")
            // `==` compares the parameters byte by byte.
            try #require(URLParameters(Array(read.parts.parameters.suffix(pairs.count))) == pairs)
            try #require(read.parts.fragment == QueriedURL(before).fragment)
        }
    }

    /// For any input, a callback is either a URL that can be opened or `nil`.
    @Test func arbitraryInputIsReadSafely() throws {
        var random = SeededGenerator.forTest("x-callback-url: garbage")
        for _ in 0..<5_000 {
            let garbage = random.text(from: "%=&x-succerb:0Af#?🎉\u{0}\n".unicodeScalars)
            guard let url = XCallbackURL("a://x-callback-url/?x-success=\(garbage)&x-error=b:\(garbage)") else {
                continue
            }
            for callback in XCallbackURL.Callback.allCases {
                guard let target = url.url(of: callback) else { continue }
                try #require((try? URLText(target)) != nil)
            }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func text(from scalars: String.UnicodeScalarView) -> String {
        let all = Array(scalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &self) {
            text.append(all[Int.random(in: 0..<all.count, using: &self)])
        }
        return String(text)
    }

    /// A text of random scalars, including NUL and those beyond U+FFFF.
    fileprivate mutating func anyText() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            let most: UInt32 = Bool.random(using: &self) ? 0x7F : 0x10_FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...most, using: &self)) { text.append(scalar) }
        }
        return String(text)
    }
}

struct CallbackResultTests {
    private let asked = XCallbackURL(
        "a://x-callback-url/do?x-success=b%3Ayes%3Fk%3D1&x-error=b:no&x-cancel=b:off&x-source=Me")!

    private func url(
        _ outcome: Outcome, _ items: [PasteboardItem] = [], code: String? = nil, message: String? = nil,
        of asked: XCallbackURL? = nil, reserved: Bool = false
    ) -> String? {
        var reply = HandlerReply()
        (reply.items, reply.errorCode, reply.errorMessage) = (items, code, message)
        let target = CallbackSender.Target(
            CallbackResult(outcome, reply), of: asked ?? self.asked, reserved: reserved)
        guard case .url(let url, _, _) = target else { return nil }
        return url
    }

    @Test func eachAnswerHasItsCallback() {
        #expect(url(.handled) == "b:yes?k=1")
        #expect(url(.cancelled) == "b:off")
        #expect(url(.failed, code: "busy", message: "not now") == "b:no?errorCode=busy&errorMessage=not%20now")
        #expect(url(.failed) == "b:no?errorCode=failed&errorMessage=")
        #expect(url(.declined)?.hasPrefix("b:no?errorCode=declined&errorMessage=") == true)
        let deaf = XCallbackURL("a://x-callback-url/do?x-success=b:yes")
        #expect(url(.failed, of: deaf) == nil && url(.cancelled, of: deaf) == nil)
    }

    @Test func aReplyBecomesParameters() throws {
        #expect(url(.handled, [.string("a b&c")]) == "b:yes?k=1&result=a%20b%26c")
        let object = "{\"n\":1.50,\"s\":\"ü\",\"t\":true,\"z\":null,\"x-success\":\"evil:\"}"
        let json = try PasteboardItem([Representation(type: .json, value: .text(object))])
        #expect(url(.handled, [json]) == "b:yes?k=1&n=1.50&s=%C3%BC&t=true&z=")
        let nested = try PasteboardItem([Representation(type: .json, value: .text("{\"a\":[1]}"))])
        #expect(url(.handled, [nested]) == "b:yes?k=1&result=%7B%22a%22%3A%5B1%5D%7D")
        let form = try PasteboardItem([
            Representation(type: try ContentType("application/x-www-form-urlencoded"), value: .text("a=1+2&b=%2B"))
        ])
        #expect(url(.handled, [form]) == "b:yes?k=1&a=1%202&b=%2B")
        #expect(url(.handled, [.data([1, 2])]) == "b:yes?k=1")
        #expect(url(.handled, [.string("one"), .string("two")]) == "b:yes?k=1&result=one")
    }

    @Test func aReplyThatIsTooLargeForAURLIsAnError() {
        let large = String(repeating: "a", count: 1 << 20)
        #expect(url(.handled, [.string(large)])?.hasPrefix("b:no?errorCode=reply-too-large&") == true)
        #expect(url(.failed, message: large) == nil)
        let deaf = XCallbackURL("a://x-callback-url/do?x-success=b:yes")
        #expect(url(.handled, [.string(large)], of: deaf) == nil)
    }

    @Test func reservedSchemesAreRefused() throws {
        for scheme in URLScheme.reserved {
            for spelling in [scheme, scheme.uppercased()] {
                let asked = try #require(XCallbackURL("a://x-callback-url/do?x-success=\(spelling)%3Ax"))
                #expect(url(.handled, of: asked) == nil)
                #expect(url(.handled, of: asked, reserved: true) == "\(spelling):x")
            }
        }
    }

    @Test func aCallbackIsParsedIntoItsAnswer() throws {
        func reply(_ callback: XCallbackURL.Callback, _ query: String) throws -> Result<CallReply, CallFailure> {
            CallbackResult.reply(callback, try #require(XCallbackURL("a://x-callback-url/x/token" + query)))
        }
        let success = try reply(.success, "?result=a%20b&n=7").get()
        #expect(try success.string == "a b")
        #expect(try success.value([String: String].self) == ["result": "a b", "n": "7"])
        #expect(try reply(.success, "").get().items.isEmpty)
        #expect(throws: CallFailure(.cancelled)) { try reply(.cancel, "").get() }
        #expect(throws: CallFailure(.failed(code: "7", message: "no"))) {
            try reply(.error, "?errorCode=7&errorMessage=no").get()
        }
        #expect(throws: CallFailure(.failed(code: "failed", message: ""))) { try reply(.error, "").get() }
    }
}
