import CGIO
import IPCTesting
import Testing

@testable import IPC

/// Compares host and path of a received URL with those of GLib's `g_uri_split`, which also follows RFC 3986. With the
/// flag `NON_DNS`, GLib leaves host names as they are.
struct URLPartsTests {
    /// - Returns: `nil` if GLib does not accept the URL.
    private static func reference(_ url: String) -> (host: String?, path: String)? {
        var (host, path): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        guard g_uri_split(url, G_URI_FLAGS_NON_DNS, nil, nil, &host, nil, &path, nil, nil, nil) != 0 else { return nil }
        defer {
            g_free(host)
            g_free(path)
        }
        return (host.map { String(cString: $0) }, path.map { String(cString: $0) } ?? "")
    }

    @Test func partsMatchGLib() throws {
        var generator = SeededGenerator.forTest("URLParts")
        func one(of choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
        let users = ["", "me@", "me:secret@", "a%40b@"]
        let hosts = ["", "host", "HOST.example", "[2001:db8::1]", "127.0.0.1", "x%20y", "h%C3%A4"]
        let ports = ["", ":80", ":"]
        let pieces = ["a", "B", "/", "/", "%2F", "%20", ":", "@", "ü", "+", "..", ";", "%C3%BC", "&"]
        let ends = ["", "?", "?q=a/b:c@d", "#f", "?q#f?g/h"]
        let count = TestSize.pick(small: 20_000, full: 500_000)
        var compared = 0
        for _ in 0..<count {
            let path = (0..<Int.random(in: 0...6, using: &generator)).map { _ in one(of: pieces) }.joined()
            let hasHost = Bool.random(using: &generator)
            let authority = hasHost ? "//" + one(of: users) + one(of: hosts) + one(of: ports) : ""
            let rest = hasHost && !path.isEmpty && !path.hasPrefix("/") ? "/" + path : path
            // Without a host, a path that starts with `//` would be read as a host with invalid characters.
            guard hasHost || !path.hasPrefix("//") else { continue }
            let url = "x-demo:" + authority + rest + one(of: ends)
            guard let expected = Self.reference(url) else { continue }
            compared += 1
            let parts = try URLParts(of: url)
            guard (parts.host, parts.path) == expected else {
                Issue.record("\(url): \(parts), GLib reads \(expected); seed \(generator.seed)")
                return
            }
        }
        #expect(compared > count / 4)
    }

    @Test func partsThatCannotBeDecodedStayUnchanged() throws {
        #expect(try URLParts(of: "x:50%").path == "50%")
        let parts = try URLParts(of: "x://a%ZZ/b%FF")
        #expect(parts.host == "a%ZZ" && parts.path == "/b%FF")
        #expect(try URLParts(of: "notes:add").host == nil)
        #expect(try URLParts(of: "notes:///add").host == "")
    }

    @Test func schemeAndParametersArePartsToo() throws {
        let parts = try URLParts(of: "Notes.Demo://list/犬?tag=%E7%8A%AC&tag=2#end")
        #expect(parts.scheme == "notes.demo" && parts.scheme.spelling == "Notes.Demo")
        #expect(parts.parameters.all(named: "tag") == ["犬", "2"] && parts.path == "/犬")
    }

    @Test(arguments: ["", "notes", "/notes:", "no tes:", "notes:\u{0}"])
    func aTextThatCannotBeOpenedHasNoParts(_ text: String) {
        #expect(performing: { try URLParts(of: text) }, throws: { ($0 as? IPCError)?.code == .invalidURL })
    }
}
