import IPCDBus
import Testing

/// Checks that the interface documents can serve as a manual: every member is documented, and what they say is true.
@Suite struct MemberCommentTests {
    private static let interfaces = ProjectFiles.interfaceNames

    /// The missing parts in the comments of an interface.
    private func gaps(_ interface: InterfaceDocument.Interface) -> [String] {
        var gaps: [String] = []
        if interface.comment.split(whereSeparator: \.isWhitespace).count < 5 {
            gaps.append("\(interface.name): no text")
        }
        for member in interface.members {
            guard let comment = interface.comments[member.name].flatMap({ MemberComment($0) }) else {
                gaps.append("\(member.name) has no doc comment")
                continue
            }
            if comment.name != member.name { gaps.append("the comment before \(member.name) is of \(comment.name)") }
            for argument in member.arguments where (comment.arguments[argument.name] ?? "").isEmpty {
                gaps.append("\(member.name): nothing is said of \(argument.name)")
            }
            for extra in Set(comment.arguments.keys).subtracting(member.arguments.map(\.name)) {
                gaps.append("\(member.name) has no argument \(extra)")
            }
            let summary = member.annotations["org.gtk.GDBus.DocString"] ?? ""
            if summary.isEmpty || !comment.text.hasPrefix(summary) { gaps.append("\(member.name): the first sentence") }
        }
        return gaps
    }

    @Test(arguments: interfaces) func `every member and argument has a doc comment`(name: String) throws {
        let interface = try #require(try InterfaceDocument(ProjectFiles.document(of: name))[name])
        #expect(gaps(interface) == [])
    }

    @Test(arguments: interfaces) func `a missing or misplaced comment is found`(name: String) throws {
        let text = try ProjectFiles.document(of: name)
        let body = text.firstRange(of: "<interface ")!.lowerBound
        let first = text[body...].firstRange(of: "<!--")!.lowerBound
        let end = text[body...].firstRange(of: "-->")!.upperBound
        var mutations = [text.replacingCharacters(in: first..<end)]
        for pattern in ["\n      @", ":\n      @"] {
            if let place = text[first...].firstRange(of: pattern) {
                var copy = text
                copy.replaceSubrange(place, with: pattern.replacing("@", with: "@x"))
                mutations.append(copy)
            }
        }
        for mutated in mutations {
            #expect(gaps(try #require(try InterfaceDocument(mutated)[name])) != [])
        }
    }

    /// The members whose comments have no example.
    private func withoutExample(_ interface: InterfaceDocument.Interface) -> [String] {
        interface.members.map(\.name).filter {
            interface.comments[$0]?.contains(/Example.*``/.dotMatchesNewlines()) != true
        }
    }

    @Test(arguments: [
        "org.swiftipc.Schemes1", "org.swiftipc.URLs1", "org.swiftipc.URLHandler1", "org.swiftipc.Simple1",
        "org.freedesktop.Application",
    ])
    func `every member of schemes and URLs has an example`(name: String) throws {
        let text = try ProjectFiles.document(of: name)
        #expect(withoutExample(try #require(try InterfaceDocument(text)[name])) == [])
        // Negative control: without its first example, the document is faulty.
        let mutated = text.replacing("Example", with: "Sample", maxReplacements: 1)
        #expect(withoutExample(try #require(try InterfaceDocument(mutated)[name])).count == 1)
    }

    /// The differences between the keys that the comments document and those in the Swift tables, in both directions.
    private func differences(_ interface: InterfaceDocument.Interface, _ keys: [String: InterfaceTables.Keys])
        -> [String]
    {
        let short = interface.name.split(separator: ".").last!
        return interface.members.flatMap { member -> [String] in
            guard let comment = interface.comments[member.name].flatMap({ MemberComment($0) }) else { return [] }
            let place = "\(short).\(member.name)"
            guard let keys = keys[place] else {
                let dictionary = member.arguments.contains { $0.type.contains("{sv}") }
                return dictionary ? ["\(place) has no table of keys"] : []
            }
            return Self.differences(comment, keys).map { "\(place): \($0)" }
        }
    }

    private static func differences(_ comment: MemberComment, _ keys: InterfaceTables.Keys) -> [String] {
        var found: [String] = []
        for (argument, table) in keys.arguments {
            let expected = table.filter { !keys.unused.contains($0.key) }
            let told = comment.keys(ofArgument: argument)
            if told != expected {
                found.append("argument \(argument): the comment lists \(told), the table \(expected)")
            }
        }
        // The text refers to another member's options, so it need not document them again.
        if comment.text.contains(/The options are those of [A-Z]/) { return found }
        let tables = Array(keys.arguments.values) + [keys.nested]
        for (key, type) in comment.keysInText where !tables.contains(where: { $0[key] == type }) {
            found.append("the text mentions \(key) (\(type)), which is in no table")
        }
        for table in tables {
            for (key, type) in table where !keys.unused.contains(key) && comment.keysInText[key] != type {
                found.append("the text does not mention \(key) (\(type))")
            }
        }
        return found
    }

    @Test(arguments: interfaces) func `comments and tables list the same keys with the same types`(name: String) throws
    {
        let interface = try #require(try InterfaceDocument(ProjectFiles.document(of: name))[name])
        #expect(differences(interface, InterfaceTables.keys) == [])
    }

    @Test func `a missing key, an extra key and a wrong type are found`() throws {
        let name = "org.swiftipc.Schemes1"
        let text = try ProjectFiles.document(of: name)
        for (old, new) in [
            ("* ``window`` (``u``", "* ``window`` (``t``"), ("* ``window`` (``u``", "* ``size`` (``u``"),
            ("persistent (b), window (u)", "persistent (b)"), ("@options: No keys so far.", "@options: limit (u)."),
            ("``handler`` (``b``, it", "``handlers`` (``b``, it"), ("``limit`` (``u``, rows", "``limit`` (rows"),
        ] {
            #expect(text.contains(old))
            let interface = try #require(
                try InterfaceDocument(text.replacing(old, with: new, maxReplacements: 1))[name])
            #expect(differences(interface, InterfaceTables.keys) != [], "\(old)")
        }
    }

    @Test func `every table of keys belongs to an existing member`() {
        let members = InterfaceTables.all.flatMap { table in
            table.members.map { "\(table.name.text.split(separator: ".").last!).\($0.name)" }
        }
        #expect(Set(InterfaceTables.keys.keys).subtracting(members) == [])
    }
}

extension String {
    /// The text without the characters in this range.
    fileprivate func replacingCharacters(in range: Range<String.Index>) -> String {
        var copy = self
        copy.removeSubrange(range)
        return copy
    }
}
