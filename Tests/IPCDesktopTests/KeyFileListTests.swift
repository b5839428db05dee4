import Testing

@testable import IPCDesktop

@Suite struct KeyFileListTests {
    private static let group = "Default Applications"

    /// Contents of a file before a line is inserted, in all forms that affect the line's position.
    static let texts = [
        "", "\n", "[Default Applications]", "[Default Applications]\n", "[Default Applications]\nx-a=b.desktop",
        "[Default Applications]\nx-a=b.desktop;\nx-b=\n", "# mine\n\n[Added Associations]\nx-a=z.desktop;\n",
        "[Added Associations]\nx-a=z.desktop;\n\n[Default Applications]\r\nx-a = b.desktop ; c.desktop;\r\n\n# end",
        "# x-a=stray\n[Default Applications]\nx-a=1.desktop\nx-a=2.desktop\n[Default Applications]\nx-c=3.desktop\n",
        "no key file at all \u{FFFD}\n[[\n=\n", "x-a=in no group", "# mine\nx-a=in no group\n\n",
        "[Default Applications]\n\n\n[Other]\nx-a=1\n",
    ]

    @Test(arguments: texts, [true, false])
    func `withdrawing inserted values restores every byte`(_ text: String, inFront: Bool) {
        let before = Array(text.utf8) + [0xFF]
        for bytes in [Array(text.utf8), before] {
            var lines = KeyFile(bytes: bytes)
            var own = OwnEntries(group: Self.group, value: "ours.desktop")
            for key in ["x-a", "x-b", "x-new"] {
                lines.insert("ours.desktop", key: key, group: Self.group, inFront: inFront, noting: &own)
            }
            for key in ["x-a", "x-b", "x-new"] {
                #expect(lines.list(of: key, in: Self.group)?.contains("ours.desktop") == true, "\(key) of \(text)")
            }
            #expect(lines.bytes != bytes)
            lines.withdraw(own)
            #expect(lines.bytes == bytes, "\(String(decoding: lines.bytes, as: UTF8.self))")
        }
    }

    @Test func `a value is inserted first or last, and only once`() {
        var own = OwnEntries(group: Self.group, value: "o")
        var lines = KeyFile(bytes: Array("[Default Applications]\nk=a;b;\nl=a;b".utf8))
        lines.insert("o", key: "k", group: Self.group, inFront: true, noting: &own)
        lines.insert("o", key: "l", group: Self.group, inFront: false, noting: &own)
        #expect(lines.list(of: "k", in: Self.group) == ["o", "a", "b"])
        #expect(lines.list(of: "l", in: Self.group) == ["a", "b", "o"])
        let noted = own
        lines.insert("o", key: "k", group: Self.group, inFront: true, noting: &own)
        #expect(own == noted)
    }

    @Test func `changes by other programs in the meantime stay`() {
        var own = OwnEntries(group: Self.group, value: "o")
        var lines = KeyFile(bytes: [])
        lines.insert("o", key: "k", group: Self.group, inFront: false, noting: &own)
        #expect(lines.bytes == Array("[Default Applications]\nk=o;\n".utf8))
        var foreign = KeyFile(bytes: Array("[Default Applications]\nk=o;theirs;\nm=o;\n".utf8))
        foreign.withdraw(own)
        #expect(foreign.bytes == Array("[Default Applications]\nk=theirs;\nm=o;\n".utf8))
    }

    /// Negative control: a value that the user had already put there is not removed.
    @Test func `a value that was already there is not withdrawn`() {
        let text = "[Default Applications]\nk=o;\n"
        var own = OwnEntries(group: Self.group, value: "o")
        var lines = KeyFile(bytes: Array(text.utf8))
        lines.insert("o", key: "k", group: Self.group, inFront: true, noting: &own)
        lines.withdraw(own)
        #expect(lines.bytes == Array(text.utf8))
    }
}
