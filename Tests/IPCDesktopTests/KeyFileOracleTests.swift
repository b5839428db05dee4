import CGIO
import IPCTesting
import Testing

@testable import IPCDesktop

/// Compares our parser with GLib's `GKeyFile`, which desktop programs use to read the same files.
@Suite struct KeyFileOracleTests {
    private typealias Contents = [String: [String: String]]

    @Test func `a file that GLib accepts reads the same`() {
        var generator = SeededGenerator.forTest("KeyFile")
        var accepted = 0
        let count = TestSize.pick(small: 20_000, full: 500_000)
        for _ in 0..<count {
            let lines = (0..<Int.random(in: 0...12, using: &generator)).map { _ in Self.line(&generator) }
            let text = "[a]\n" + lines.joined()
            guard let expected = Self.reference(text) else { continue }
            accepted += 1
            let found = Self.contents(KeyFile(bytes: Array(text.utf8)))
            guard found == expected else {
                Issue.record("\(text.debugDescription): \(found), GLib reads \(expected); seed \(generator.seed)")
                return
            }
        }
        #expect(accepted > count / 4)
    }

    /// A random line of a key file, usually a valid one, with blanks wherever they are allowed.
    private static func line(_ generator: inout SeededGenerator) -> String {
        func one(of choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
        func noise(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                one(of: ["x", ";", "=", "[", "]", "#", " ", "\t", "\r", "\\s", "é", "[a]", "k="])
            }.joined()
        }
        let content =
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<3: "[" + one(of: ["a", "b c", "é"]) + "]"
            case 3..<9: one(of: ["k", "l", "k 2", "Name[de]", "#k"]) + one(of: ["=", " =", "\t= ", "= "]) + noise(4)
            case 9: "#" + noise(4)
            case 10: ""
            default: noise(3)
            }
        return one(of: ["", "", " ", "\t "]) + content + one(of: ["\n", "\n", "\r\n", " \n", "\t\r\n"])
    }

    /// Negative control: if our parser used the first of two lines with the same key, the comparison would fail.
    @Test func `control: the comparison finds a different value`() throws {
        let first = Self.contents(KeyFile(bytes: Array("[a]\nk=1\n".utf8)))
        #expect(try #require(Self.reference("[a]\nk=1\nk=2\n")) != first)
        #expect(try #require(Self.reference("[a]\nk=1\n")) == first)
    }

    private static func contents(_ file: KeyFile) -> Contents {
        var contents: Contents = [:]
        for group in file.groups.map(\.name) where contents[group] == nil {
            contents[group] = [:]
            for key in file.keys(in: group) { contents[group]?[key] = file.value(of: key, in: group) }
        }
        return contents
    }

    /// - Returns: the contents as GLib reads them; `nil` if GLib rejects a line.
    private static func reference(_ text: String) -> Contents? {
        let file = g_key_file_new()
        defer { g_key_file_free(file) }
        let isRead = g_key_file_load_from_data(
            file, text, gsize(text.utf8.count), G_KEY_FILE_KEEP_TRANSLATIONS, nil)
        guard isRead != 0 else { return nil }
        var contents: Contents = [:]
        for group in strings(g_key_file_get_groups(file, nil)) {
            contents[group] = [:]
            for key in strings(g_key_file_get_keys(file, group, nil, nil)) {
                guard let value = g_key_file_get_value(file, group, key, nil) else { continue }
                defer { g_free(value) }
                // GLib keeps blanks at the end of a value, but our parser does not.
                contents[group]?[key] = String(cString: value).trimmedAtEnd
            }
        }
        return contents
    }

    /// Copies a list of C strings, and frees the list.
    private static func strings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
        defer { g_strfreev(list) }
        var strings: [String] = []
        while let string = list?[strings.count] { strings.append(String(cString: string)) }
        return strings
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var scalars = unicodeScalars
        while let last = scalars.last, [" ", "\t", "\r"].contains(last) { scalars.removeLast() }
        return String(scalars)
    }
}
