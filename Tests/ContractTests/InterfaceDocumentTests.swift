import IPCDBus
import IPCTesting
import Testing

@Suite struct InterfaceDocumentTests {
    private func document(_ name: String) throws -> InterfaceDocument.Interface {
        try #require(try InterfaceDocument(ProjectFiles.document(of: name))[name])
    }

    @Test func `every interface has a document, and every document has an interface`() {
        let files = (FileContents.names(in: "\(ProjectFiles.root)/dbus") ?? []).filter { $0.hasSuffix(".xml") }
        #expect(files.sorted() == ProjectFiles.interfaceNames.map { "\($0).xml" })
        #expect(InterfaceTables.all.map(\.name.text).sorted() == ProjectFiles.interfaceNames)
    }

    @Test(arguments: InterfaceTables.all.indices)
    func `documents and Swift tables say the same`(table: Int) throws {
        let table = InterfaceTables.all[table]
        let document = try InterfaceDocument(ProjectFiles.document(of: table.name.text))
        #expect(document.interfaces.map(\.name) == [table.name.text])
        let written = try #require(document[table.name.text]).members
        #expect(written.differences(from: table.members.map(MemberShape.init)) == [])
    }

    @Test(arguments: InterfaceTables.all.indices)
    func `a document that differs from the Swift tables is found`(table: Int) throws {
        let table = InterfaceTables.all[table]
        let text = try ProjectFiles.document(of: table.name.text)
        let members = table.members.map(MemberShape.init)
        let mutations = [
            ("type=\"s\"", "type=\"ay\""), ("<method name=\"", "<method name=\"X"), ("<arg name=\"", "<arg name=\"x_"),
            ("direction=\"out\"", "direction=\"in\""), ("access=\"read\"", "access=\"readwrite\""),
            ("<property name=\"", "<property name=\"X"), ("<signal name=\"", "<signal name=\"X"),
            ("DocString\" value=\"", "DocString\" value=\"Not "), ("EmitsChangedSignal\"", "EmitsSignal\""),
            ("Method.NoReply\" value=\"true\"", "Method.NoReply\" value=\"false\""),
        ]
        let made = mutations.map { text.replacing($0.0, with: $0.1, maxReplacements: 1) }.filter { $0 != text }
        #expect(made.count >= 3)
        for mutated in made {
            let written = try InterfaceDocument(mutated).interfaces.flatMap(\.members)
            #expect(written.differences(from: members) != [])
            #expect(members.differences(from: written) != [])
        }
    }

    @Test func `a document that is cut or has unknown elements is refused`() throws {
        let text = try ProjectFiles.document(of: "org.swiftipc.URLs1")
        #expect(throws: (any Error).self) { try InterfaceDocument(String(text.dropLast(20))) }
        #expect(throws: (any Error).self) {
            try InterfaceDocument(
                text.replacing("<method ", with: "<function ").replacing("</method>", with: "</function>"))
        }
    }

    @Test(arguments: ProjectFiles.interfaceNames)
    func `one document has the rules for all interfaces, and the others refer to it`(name: String) throws {
        let text = try ProjectFiles.document(of: name)
        let head = try #require(text.split(separator: "<node>").first)
        #expect(head.contains("These rules hold for every interface") == (name == "org.swiftipc.Broker1"))
        #expect(name == "org.swiftipc.Broker1" || head.contains("org.swiftipc.Broker1.xml"))
    }
}
