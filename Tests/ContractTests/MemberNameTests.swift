import Testing

/// Some D-Bus bindings put the members of all interfaces of an object in one namespace, so each name must be unique
/// there.
@Suite struct MemberNameTests {
    /// The member names that occur more than once in the interfaces of an object.
    static func repeated(_ interfaces: [InterfaceDocument.Interface]) -> [String] {
        let names = interfaces.flatMap(\.members).map(\.name)
        return Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys.sorted()
    }

    private func documents(_ names: [String]) throws -> [InterfaceDocument.Interface] {
        try names.flatMap { name in
            let full = name.contains(".") ? name : "org.swiftipc.\(name)"
            return try InterfaceDocument(ProjectFiles.document(of: full)).interfaces
        }
    }

    @Test(arguments: [
        ["Broker1", "Schemes1", "URLs1", "Pasteboards1", "Simple1"], ["Pasteboard1"],
        ["URLHandler1", "org.freedesktop.Application"], ["PasteboardWriter1"],
    ])
    func `no object has two members with the same name`(interfaces: [String]) throws {
        #expect(Self.repeated(try documents(interfaces)) == [])
    }

    @Test func `a name on two interfaces of an object is found`() throws {
        #expect(Self.repeated(try documents(["URLs1", "URLHandler1"])) == ["OpenURL"])
        var twice = try documents(["Pasteboard1"])
        twice[0].members.append(MemberShape(kind: "property", name: "Clear"))
        #expect(Self.repeated(twice) == ["Clear"])
    }
}
