import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// The pasteboards as objects of `org.freedesktop.DBus.ObjectManager`.
@Suite(.privateBus) struct ObjectManagerTests {
    @DBusActor
    private func objects(_ client: BrokerClient) async throws -> [ObjectPath: ObjectManager.Interfaces] {
        try await client.call(ObjectManager.getManagedObjects, at: Pasteboards1.root, ())
    }

    @Test @DBusActor func `every pasteboard is an object with its properties except Types`() async throws {
        _ = try await BrokerProcess.start()
        let client = try await BrokerClient()
        try await client.create("demo.IPCClient")
        let count = try await client.set([.string("hello")], on: "demo.IPCClient")
        let objects = try await objects(client)
        let path = try client.path("demo.IPCClient")
        #expect(Set(objects.keys) == [path, try client.path("general")])
        var properties = try #require(objects[path]?[Pasteboard1.name.text])
        #expect(objects[path]?.count == 1)
        #expect(properties["ChangeCount"] == .uint64(count))
        #expect(properties["ItemCount"] == .uint32(1))
        // The same values as GetAll, which adds the types.
        var all = try await client.call(Properties.getAll, at: path, Pasteboard1.name.text)
        for (name, value) in all {
            let one = try await client.call(Properties.get, at: path, (Pasteboard1.name.text, name))
            #expect(one == value, "\(name)")
        }
        #expect(all.removeValue(forKey: "Types") != nil)
        #expect(all == properties)
        properties["ChangeCount"] = nil
        #expect(all != properties)
    }

    @Test @DBusActor func `all properties belong to the same version, whatever others write`() async throws {
        _ = try await BrokerProcess.start()
        let (client, writer) = (try await BrokerClient(), try await BrokerClient())
        try await client.create("changing")
        let path = try client.path("changing")
        let writes = DBusActor.task {
            for count in 1...200 {
                try await writer.set(Array(repeating: .string("x"), count: 1 + count % 2), on: "changing")
            }
        }
        for _ in 0..<200 {
            let all = try await client.call(Properties.getAll, at: path, Pasteboard1.name.text)
            guard case .array(_, let types)? = all["Types"], case .uint32(let count)? = all["ItemCount"] else {
                Issue.record("\(all)")
                break
            }
            #expect(types.count == Int(count))
        }
        try await writes.value
    }

    @Test @DBusActor func `the number of objects has a limit, and the error names the call with pages`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "introspected-pasteboards=2"]
        _ = try await BrokerProcess.start(settings)
        let client = try await BrokerClient()
        try await client.create("a")
        #expect(try await objects(client).count == 2)
        try await client.create("b")
        let error = await #expect(throws: CallError.self) { try await objects(client) }
        #expect("\(String(describing: error))".contains("introspected-pasteboards"), "\(String(describing: error))")
        #expect("\(String(describing: error))".contains("use ListPasteboards"), "\(String(describing: error))")
    }

    @Test func `a listener learns which objects are added and removed`() async throws {
        _ = try await BrokerProcess.start()
        let monitor = try await RunningProcess.start(
            "gdbus",
            ["monitor", "--session", "--dest", BrokerProcess.busName, "--object-path", Pasteboards1.root.text],
            input: .none)
        try await monitor.waitForLine { $0.contains("is owned by") }
        let signal = "org.freedesktop.DBus.ObjectManager.Interfaces"
        let client = try await BrokerClient()
        try await client.create("made")
        let made = try await monitor.waitForLine {
            $0.contains("\(signal)Added (objectpath '\(Pasteboards1.root)/made'")
        }
        #expect(made.contains("'Name': <'made'>") && made.contains("'ItemCount': <uint32 0>"), "\(made)")
        try await Tools.client(["set", "written", "hello"]).succeeded()
        let written = try await monitor.waitForLine {
            $0.contains("\(signal)Added (objectpath '\(Pasteboards1.root)/written'")
        }
        #expect(written.contains("'ItemCount': <uint32 1>") && !written.contains("hello"), "\(written)")
        let unique = try await client.call(Pasteboards1.createUniquePasteboard, UniquePasteboardOptions()).0
        let path = try await client.path(unique).text
        try await monitor.waitForLine { $0.contains("\(signal)Added (objectpath '\(path)'") }
        _ = try await client.call(Pasteboards1.removePasteboard, ("made", NoOptions()))
        try await monitor.waitForLine {
            $0.contains("\(signal)Removed (objectpath '\(Pasteboards1.root)/made', ['org.swiftipc.Pasteboard1'])")
        }
        await client.connection.close()
        try await monitor.waitForLine { $0.contains("\(signal)Removed (objectpath '\(path)'") }
    }
}
