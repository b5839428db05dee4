import IPCModel
import Testing

@Suite("ApplicationID, D-Bus specification, “Bus names”")
struct ApplicationIDTests {
    private static let goodRows: [(text: String, path: String)] = [
        ("demo.IPCServer", "/demo/IPCServer"),
        ("demo.IPCClient", "/demo/IPCClient"),
        ("a.b", "/a/b"),
        ("A.B", "/A/B"),
        ("org.example.App", "/org/example/App"),
        ("org.example.my-app", "/org/example/my_app"),
        ("org.my-company.App", "/org/my_company/App"),
        ("_a.b", "/_a/b"),
        ("a._b", "/a/_b"),
        ("-a.b", "/_a/b"),
        ("a.-b", "/a/_b"),
        ("a.--", "/a/__"),
        ("_._", "/_/_"),
        ("a1.b2", "/a1/b2"),
        ("a.b1c", "/a/b1c"),
        ("a._1", "/a/_1"),
        ("org._7_zip.Archiver", "/org/_7_zip/Archiver"),
        ("a.b.c.d.e.f.g.h", "/a/b/c/d/e/f/g/h"),
        ("com.github.User_Name.Tool-2", "/com/github/User_Name/Tool_2"),
        ("org.freedesktop.DBus", "/org/freedesktop/DBus"),
        ("org.swiftipc.Broker1", "/org/swiftipc/Broker1"),
    ]

    @Test("An id is at least two elements of letters, digits, “_” and “-”", arguments: goodRows)
    func good(text: String, path: String) throws {
        let id = try ApplicationID(text)
        #expect(id.text == text)
        #expect(id.objectPath == path)
    }

    private static let badRows: [(text: String, complaint: String)] = [
        ("", "is empty; write one like “demo.IPCServer”"),
        ("demo", "“demo” has one element; at least two are needed, as in “demo.IPCServer”"),
        ("-", "“-” has one element; at least two are needed, as in “demo.IPCServer”"),
        (".", "“.” has an empty element; write dots only between elements"),
        (".a.b", "“.a.b” has an empty element; write dots only between elements"),
        ("a.b.", "“a.b.” has an empty element; write dots only between elements"),
        ("a..b", "“a..b” has an empty element; write dots only between elements"),
        ("a.", "“a.” has an empty element; write dots only between elements"),
        (":1.42", "“:1.42” is a unique bus name; it must be a name like “demo.IPCServer”"),
        (":a.b", "“:a.b” is a unique bus name; it must be a name like “demo.IPCServer”"),
        ("1a.b", "“1a.b” has the element “1a”, which starts with a digit"),
        ("a.1b", "“a.1b” has the element “1b”, which starts with a digit"),
        ("org.7zip.Archiver", "“org.7zip.Archiver” has the element “7zip”, which starts with a digit"),
        ("a.b.0", "“a.b.0” has the element “0”, which starts with a digit"),
        ("a b.c", "“a b.c” contains U+0020; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b/c", "“a.b/c” contains “/”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b:c", "“a.b:c” contains “:”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b+c", "“a.b+c” contains “+”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b*", "“a.b*” contains “*”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b\n", "“a.bU+000A” contains U+000A; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.\u{0}", "“a.U+0000” contains U+0000; only letters, digits, “_”, “-” and “.” are allowed"),
        ("dé.mo", "“dé.mo” contains “é”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("例え.テスト", "“例え.テスト” contains “例”; only letters, digits, “_”, “-” and “.” are allowed"),
        ("a.b\u{200B}", "“a.bU+200B” contains U+200B; only letters, digits, “_”, “-” and “.” are allowed"),
    ]

    @Test("A bad id is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, complaint: String) {
        let error = #expect(throws: IPCError.self) { try ApplicationID(text) }
        let message = "the application id \(complaint) (D-Bus specification, “Bus names”)"
        #expect(error?.ipcError == IPCError(.invalidName, message))
        if let error { expectSentence(error) }
    }

    @Test("An id may have 255 bytes, but not 256")
    func length() throws {
        let longest = "a." + String(repeating: "b", count: 253)
        #expect(try ApplicationID(longest).text == longest)
        let error = #expect(throws: IPCError.self) { try ApplicationID(longest + "b") }
        #expect(error?.message.contains("…” has 256 bytes; at most 255 are allowed") == true)
    }

    @Test("Case matters: bus names are compared byte by byte")
    func caseSensitive() throws {
        #expect(ApplicationID("demo.IPCServer") != ApplicationID("demo.ipcserver"))
        #expect(ApplicationID("demo.A") < ApplicationID("demo.a"))
    }
}
