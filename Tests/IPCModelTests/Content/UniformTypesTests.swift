import IPCModel
import Testing

@Suite("Uniform type identifiers")
struct UniformTypesTests {
    @Test("Every identifier is accepted in any case and maps back", arguments: ContentType.uniformTypes)
    func rows(uniformType: String, contentType: String) throws {
        let type = try ContentType(uniformType)
        #expect(type.text == contentType && type.canonical == contentType)
        #expect(try ContentType(uniformType.uppercased()) == type)
        let back = try #require(type.uniformType)
        #expect(try ContentType(back) == type)
    }

    @Test("The table has at least 30 rows and no duplicate identifiers")
    func table() {
        let identifiers = ContentType.uniformTypes.map(\.uniformType)
        #expect(identifiers.count >= 30)
        #expect(Set(identifiers).count == identifiers.count)
        #expect(identifiers.allSatisfy { $0 == $0.lowercased() && !$0.contains("/") })
    }

    private static let backRows: [(String, String?)] = [
        ("text/plain;charset=utf-8", "public.utf8-plain-text"),
        ("TEXT/PLAIN; charset=\"UTF-8\"", "public.utf8-plain-text"),
        ("text/plain", "public.plain-text"),
        ("text/uri-list", "public.url"),
        ("image/png", "public.png"),
        ("application/octet-stream", "public.data"),
        ("text/plain;charset=koi8-r", nil),
        ("application/x-own", nil),
        ("UTF8_STRING", nil),
    ]

    @Test("A content type maps back to its first identifier", arguments: backRows)
    func back(contentType: String, uniformType: String?) throws {
        #expect(try ContentType(contentType).uniformType == uniformType)
    }

    @Test("An unknown identifier stays a plain name")
    func unknown() throws {
        let type = try ContentType("com.example.card")
        #expect(type.text == "com.example.card" && type.uniformType == nil)
    }
}
