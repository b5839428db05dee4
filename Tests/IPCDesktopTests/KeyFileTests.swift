import IPCTesting
import Testing

@testable import IPCDesktop

/// Tests of the Desktop Entry Specification, “Basic format of the file”.
@Suite struct KeyFileTests {
    @Test func `groups, keys and comments are parsed`() throws {
        let file = try KeyFile(
            "# a comment\n\n[Application]\nname=org.example.App\r\n  runtime = runtime/x \n[Context]\n#no=1\nshared=a;b;\nempty=\n"
        )
        #expect(file.groups.map(\.name) == ["Application", "Context"])
        #expect(file["Application"]?["name"] == "org.example.App")
        #expect(file["Application"]?["runtime"] == "runtime/x")
        #expect(file["Context"]?["shared"] == "a;b;")
        #expect(file["Context"]?["empty"] == "")
        #expect(file["Context"]?["no"] == nil && file["context"] == nil)
        #expect(file["Context"]?.entries.map(\.line) == [8, 9])
        #expect(try KeyFile("").groups == [])
        #expect(try KeyFile("[a]").groups == [KeyFile.Group(name: "a", line: 1)])
    }

    @Test(arguments: [
        ("key=1", 1, "before the first group"), ("[a]\nkey", 2, "key=value"), ("[a]\n=1", 2, "key=value"),
        ("[a]\nk=1\n\nk=2", 4, "twice, first on line 2"), ("[a]\n[b]\n[a]", 3, "twice, first on line 1"),
        ("[a", 1, "not a group"), ("[]", 1, "not a group"), ("[a]b", 1, "not a group"), ("[a]]", 1, "not a group"),
        ("[a]\n[[b]", 2, "not a group"),
    ])
    func `a format error is reported with its line`(text: String, line: Int, part: String) {
        do {
            let file = try KeyFile(text)
            Issue.record("\(file)")
        } catch {
            #expect(error.line == line)
            #expect(error.reason.contains(part), "\(error)")
        }
    }

    @Test func `a key may stand in several groups`() throws {
        let file = try KeyFile("[a]\nk=1\n[b]\nk=2")
        #expect(file["a"]?["k"] == "1" && file["b"]?["k"] == "2")
    }

    @Test func `a file that is too long, not text or missing is rejected`() throws {
        let directory = try TemporaryDirectory("key-file")
        let path = directory.appending("file")
        let head = "[a]\n#"
        try FileContents.write(head + String(repeating: "x", count: KeyFile.mostBytes - head.utf8.count), to: path)
        #expect(try KeyFile(contentsOf: path).groups.count == 1)
        try FileContents.write(head + String(repeating: "x", count: KeyFile.mostBytes), to: path)
        #expect(throws: KeyFile.Unreadable.tooLong) { try KeyFile(contentsOf: path) }
        try FileContents.write([0x5B, 0x61, 0x5D, 0x0A, 0x6B, 0x3D, 0xFF], to: path)
        #expect(throws: KeyFile.Unreadable.notUTF8) { try KeyFile(contentsOf: path) }
        #expect(throws: KeyFile.Unreadable.system(2)) { try KeyFile(contentsOf: directory.appending("none")) }
        #expect(throws: KeyFile.Unreadable.system(21)) { try KeyFile(contentsOf: directory.path) }
    }
}
