import IPCTesting
import Testing

/// Checks how a running broker describes its objects.
@Suite(.privateBus) struct IntrospectionTests {
    private static let standard = [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties",
    ]
    private static let broker = "/org/swiftipc/Broker1"

    private func call(_ path: String, _ method: String, _ arguments: [String] = []) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "dbus-send",
            ["--session", "--print-reply=literal", "--dest=\(BrokerProcess.busName)", path, method] + arguments)
    }

    private func introspection(of path: String) async throws -> InterfaceDocument {
        let output = try await call(path, "org.freedesktop.DBus.Introspectable.Introspect").succeeded().output
        return try InterfaceDocument(String(output.drop { $0 != "<" }))
    }

    private func makePasteboard(_ name: String) async throws {
        try await RunningProcess.run(
            "busctl",
            [
                "--user", "call", BrokerProcess.busName, Self.broker, "org.swiftipc.Pasteboards1", "GetPasteboard",
                "sa{sv}", name, "1", "create", "b", "true",
            ]
        ).succeeded()
    }

    /// Compares an object with the documents of the interfaces that it must have.
    private func differences(_ object: InterfaceDocument, from interfaces: [String]) throws -> [String] {
        var found: [String] = []
        let names = object.interfaces.map(\.name)
        if names.sorted() != (Self.standard + interfaces).sorted() { found.append("interfaces: \(names)") }
        for name in interfaces {
            let written = try InterfaceDocument(ProjectFiles.document(of: name))[name]?.members ?? []
            found += (object[name]?.members ?? []).differences(from: written)
        }
        return found
    }

    private static let onBroker = ["Broker1", "Schemes1", "URLs1", "Pasteboards1", "Simple1"].map {
        "org.swiftipc.\($0)"
    }

    @Test func `the broker's object matches the documents`() async throws {
        _ = try await BrokerProcess.start()
        let object = try await introspection(of: Self.broker)
        #expect(try differences(object, from: Self.onBroker) == [])
        #expect(object.children == ["pasteboards"])
        #expect(MemberNameTests.repeated(object.interfaces) == [])
        // Negative control: a missing interface and an additional one are noticed.
        #expect(try differences(object, from: Array(Self.onBroker.dropLast())) != [])
        #expect(try differences(object, from: Self.onBroker + ["org.swiftipc.Pasteboard1"]) != [])
    }

    @Test(arguments: ["general", "demo.IPCClient", "a b/ü"])
    func `a pasteboard matches the documents`(name: String) async throws {
        _ = try await BrokerProcess.start()
        try await makePasteboard(name)
        let parent = try await introspection(of: "\(Self.broker)/pasteboards")
        let element = name.utf8.reduce(into: "") { text, byte in
            let plain =
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            let digits = String(byte, radix: 16)
            text += plain ? String(UnicodeScalar(byte)) : "_" + (digits.count < 2 ? "0" : "") + digits
        }
        #expect(parent.children.contains(element))
        let object = try await introspection(of: "\(Self.broker)/pasteboards/\(element)")
        #expect(try differences(object, from: ["org.swiftipc.Pasteboard1"]) == [])
        #expect(object.children == [])
        #expect(MemberNameTests.repeated(object.interfaces) == [])
        #expect(try differences(object, from: ["org.swiftipc.Schemes1"]) != [])
    }

    @Test(arguments: [
        ("/", "org"), ("/org", "swiftipc"), ("/org/swiftipc", "Broker1"),
    ])
    func `an intermediate node lists its child objects`(path: String, child: String) async throws {
        _ = try await BrokerProcess.start()
        let node = try await introspection(of: path)
        #expect(node.children == [child])
        #expect(node.interfaces.allSatisfy { Self.standard.contains($0.name) })
    }

    @Test func `the parent node lists the pasteboards and has the object manager`() async throws {
        _ = try await BrokerProcess.start()
        try await makePasteboard("one")
        let node = try await introspection(of: "\(Self.broker)/pasteboards")
        #expect(node.children.sorted() == ["general", "one"])
        #expect(
            Set(node.interfaces.map(\.name)) == Set(Self.standard + ["org.freedesktop.DBus.ObjectManager"]))
    }

    /// D-Feet and D-Spy list each path with an interface as an object.
    @Test(arguments: [("/", "org"), ("/org", "swiftipc"), ("/org/swiftipc", "Broker1")])
    func `a path that only leads to an object has no interfaces`(path: String, child: String) async throws {
        _ = try await BrokerProcess.start()
        let node = try await introspection(of: path)
        #expect(node.interfaces.isEmpty && node.children == [child])
        // The control: it answers the calls of the standard interfaces all the same.
        _ = try await call(path, "org.freedesktop.DBus.Peer.Ping").succeeded()
    }

    @Test(arguments: [
        "/nowhere", "/org/swiftipc/Broker1/other", "/org/swiftipc/Broker1/pasteboards/none",
        "/org/swiftipc/Broker1/pasteboards/General_41", "/org/swiftipc/Broker1/pasteboards/general/below",
        "/org/swiftipc/Broker1/pasteboards/a_2E", "/org/freedesktop",
    ])
    func `a path without an object has no introspection data`(path: String) async throws {
        _ = try await BrokerProcess.start()
        let answer = try await call(path, "org.freedesktop.DBus.Introspectable.Introspect")
        #expect(answer.status != .success)
        #expect(answer.errors.contains("org.freedesktop.DBus.Error.UnknownObject"))
    }

    @Test func `Describe returns one line of JSON with the members that every version has`() async throws {
        _ = try await BrokerProcess.start()
        let answer = try await RunningProcess.run(
            "busctl",
            [
                "--user", "--json=short", "call", BrokerProcess.busName, Self.broker, "org.swiftipc.Broker1",
                "Describe",
                "a{sv}", "0",
            ]
        ).succeeded()
        // busctl would print a line break in the JSON as `\n`; there must be none.
        #expect(!answer.output.contains(#"\n"#))
        for key in ["version", "features", "limits", "store", "path"] {
            #expect(answer.output.contains(#"\"\#(key)\""#), "\(key)")
        }
    }
}
