import IPCTesting
import Testing

/// The direct connection as any program sees it: its owner, its lifetime, and what it cannot do.
@Suite(.privateBus, .serialized, .enabled(if: !DirectWay.isUsual, "the test itself must open every direct connection"))
struct DirectConnectionTests {
    private static let refused = "Connection refused"

    @Test func `a direct connection has its owner's name and the broker's objects`() async throws {
        let scene = try await DirectScene.start()
        let owner = try await scene.peer.open("other", descriptors: true)
        #expect(try await scene.peer.openDirect("direct", of: "owner") != owner)
        #expect(try await scene.peer.openDirect("second", of: "other") == owner)
        let made = try await scene.peer.call(.getPasteboard("here"), on: "direct")
        #expect(made.error == nil)
        let row = try await scene.peer.call(.listPasteboards(["prefix": .s("here")]), on: "witness")
        #expect(row.body[0].elements?.count == 1)
        // A property, the standard interfaces, and an error work as on the bus.
        let version = WireCall.properties("Get", [.s("org.swiftipc.Broker1"), .s("Version")], at: WireCall.broker)
        for connection in ["direct", "witness"] {
            #expect(try await scene.peer.call(version, on: connection).text.isEmpty == false)
            #expect(
                try await scene.peer.call(.getRequest("no-such-request-0"), on: connection).error
                    == "org.swiftipc.Error.NoSuchRequest")
            #expect(
                try await scene.peer.call(WireCall("Broker1", "Nothing"), on: connection).error
                    == "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    @Test func `a socket accepts one connection and is then removed`() async throws {
        let scene = try await DirectScene.start()
        let socket = try await scene.peer.socket(of: "owner")
        try await scene.peer.open("direct", socket: socket)
        #expect(try await scene.peer.connectError(socket) == Self.refused)
        #expect(try await scene.peer.call(.describe(), on: "direct").error == nil)
        // The control: an unused socket accepts a connection.
        #expect(try await scene.peer.connectError(try await scene.peer.socket(of: "owner")) == nil)
    }

    @Test func `a socket without an authenticated connection is removed after a while`() async throws {
        let scene = try await DirectScene.start(limits: ["direct-milliseconds=200"])
        let unused = try await scene.peer.socket(of: "owner")
        try await scene.peer.open("silent", until: .connect, socket: try await scene.peer.socket(of: "owner"))
        try await scene.peer.open("half", until: .authenticating, socket: try await scene.peer.socket(of: "owner"))
        try await scene.peer.openDirect("whole", of: "owner")
        try await scene.peer.waitForEnd(of: "silent")
        try await scene.peer.waitForEnd(of: "half")
        try await scene.waitForCount(1)
        #expect(try await scene.peer.connectError(unused) == Self.refused)
        #expect(try await scene.peer.call(.describe(), on: "whole").error == nil)
    }

    @Test func `I19: the caller on a direct connection is its owner, whatever the messages claim`() async throws {
        let scene = try await DirectScene.start()
        let owner = try await scene.peer.open("app", descriptors: true)
        #expect(try await scene.peer.call(.bus("RequestName", [.s("demo.App"), .u(4)]), on: "app").error == nil)
        try await scene.peer.openDirect("of app", of: "app")
        try await scene.peer.openDirect("of another", of: "owner")
        var register = WireCall.register("demo.App", ["app.demo"])
        #expect(try await scene.peer.call(register, on: "of app").error == nil)
        register.sender = owner
        #expect(try await scene.peer.call(register, on: "of another").error == "org.swiftipc.Error.NotOwner")
    }

    @Test func `a direct connection ends when its owner leaves the bus`() async throws {
        let scene = try await DirectScene.start()
        try await scene.peer.openDirect("direct", of: "owner")
        try await scene.peer.openDirect("another", of: "witness")
        let unused = try await scene.peer.socket(of: "owner")
        try await scene.peer.close("owner")
        try await scene.peer.waitForEnd(of: "direct")
        #expect(try await scene.peer.call(.describe(), on: "another").error == nil)
        #expect(try await scene.peer.connectError(unused) == Self.refused)
    }

    @Test func `a direct connection reaches only the broker, and Hello succeeds once`() async throws {
        let scene = try await DirectScene.start()
        try await scene.peer.openDirect("direct", of: "owner")
        var describe = WireCall.describe()
        let names = ["org.swiftipc.Broker1", try await scene.peer.call(describe, on: "witness").sender ?? ""]
        for name in names {
            describe.destination = name
            #expect(try await scene.peer.call(describe, on: "direct").error == nil)
        }
        for name in [":1.99999", "demo.App"] {
            describe.destination = name
            #expect(
                try await scene.peer.call(describe, on: "direct").error
                    == "org.freedesktop.DBus.Error.ServiceUnknown")
        }
        #expect(
            try await scene.peer.call(.bus("Hello", []), on: "direct").error == "org.freedesktop.DBus.Error.Failed")
        #expect(try await scene.peer.call(.describe(), on: "direct").error == nil)
    }

    @Test func `signals and names stay on the bus`() async throws {
        let scene = try await DirectScene.start()
        try await scene.peer.openDirect("direct", of: "owner")
        let rule = WireValue.s("type='signal',member='PasteboardAdded'")
        #expect(
            try await scene.peer.call(.bus("AddMatch", [rule]), on: "direct").error
                == "org.freedesktop.DBus.Error.NotSupported")
        #expect(try await scene.peer.call(.bus("AddMatch", [rule]), on: "witness").error == nil)
        #expect(try await scene.peer.call(.getPasteboard("told"), on: "direct").error == nil)
        #expect(try await scene.peer.nextSignal("PasteboardAdded", on: "witness").body.first?.text == "told")
        #expect(try await scene.peer.heardSignals("PasteboardAdded", on: "direct") == 0)
    }

    @Test func `direct connections are limited per caller and in total`() async throws {
        let scene = try await DirectScene.start(limits: ["direct-connections=5"])
        for number in 0..<4 { try await scene.peer.openDirect("\(number)", of: "owner") }
        let call = WireCall("Broker1", "Connect", [.none])
        let refused = try await scene.peer.call(call, on: "owner")
        #expect(refused.error == "org.swiftipc.Error.LimitExceeded")
        #expect(refused.text.contains("direct-connections-per-caller"))
        try await scene.peer.openDirect("fifth", of: "witness")
        #expect(try await scene.peer.call(call, on: "witness").text.contains("“direct-connections”"))
        // Closing a connection makes room for another one.
        try await scene.peer.close("0")
        try await scene.waitForCount(4)
        try await scene.peer.openDirect("again", of: "owner")
    }

    @Test func `an unknown option is rejected, and a missing directory is reported`() async throws {
        let scene = try await DirectScene.start()
        let unknown = WireCall("Broker1", "Connect", [.options(["secret": .b(true)])])
        #expect(try await scene.peer.call(unknown, on: "owner").error == "org.swiftipc.Error.InvalidArguments")
        var settings = BrokerProcess.Settings()
        settings.environment = ["XDG_RUNTIME_DIR": "/nowhere/at/all"]
        settings.store = try PrivateBus.current.directory.appending("second store")
        try await scene.broker.kill9()
        let second = try await BrokerProcess.start(settings)
        let answer = try await scene.peer.call(WireCall("Broker1", "Connect", [.none]), on: "owner")
        #expect(answer.error == "org.swiftipc.Error.StoreUnavailable")
        #expect(answer.text.contains("/nowhere/at/all/swift-ipc"))
        #expect(try await scene.peer.call(.describe(), on: "owner").error == nil)
        try await second.terminate()
    }

    @Test func `I17: descriptors are released, and a message with seventeen harms no other message`() async throws {
        let scene = try await DirectScene.start()
        _ = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        _ = try await scene.peer.call(.setItems(.items([[("a/b", .h(.sealed(100)))]])), on: "witness")
        let base = try scene.broker.openDescriptors
        for round in 0..<20 {
            let options: KeyValuePairs<String, WireValue> = round % 2 == 0 ? [:] : ["deliveries": .b(true)]
            try await scene.peer.openDirect("direct", of: "owner", options)
            let values = (0..<16).map { _ in [("a/b", WireValue.h(.sealed(10)))] }
            #expect(try await scene.peer.call(.setItems(.items(values)), on: "direct").error == nil)
            let more = values + [[("a/b", .h(.sealed(10)))]]
            let refused = try await scene.peer.call(.setItems(.items(more)), on: "direct")
            #expect(refused.error == "org.swiftipc.Error.LimitExceeded", "\(refused)")
            #expect(refused.text.contains("descriptors-per-message"), "\(refused)")
            #expect(try await scene.peer.call(.describe(), on: "direct").error == nil)
            try await scene.peer.close("direct")
        }
        #expect(try await scene.peer.call(.clear(), on: "witness").error == nil)
        try await scene.waitForDescriptors(base)
        // Negative control: the count notices open connections. Clearing the pasteboard may have closed a descriptor or
        // two, so three are opened.
        for number in 0..<3 { try await scene.peer.openDirect("direct \(number)", of: "owner") }
        #expect(try scene.broker.openDescriptors > base)
    }

    @Test func `I16: a connection that calls without reading is closed, and the broker stays small`() async throws {
        let scene = try await DirectScene.start()
        _ = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        let size = 4 << 20
        _ = try await scene.peer.call(.setItems(.items([[("a/b", .bytes(size))]])), on: "witness")
        try await scene.peer.openDirect("reader", of: "witness")
        let base = try scene.broker.residentAnonymousBytes
        var grown = 0
        for number in 0..<20 {
            try await scene.peer.open("owner \(number)", descriptors: true)
            try await scene.peer.openDirect("deaf \(number)", of: "owner \(number)")
            for _ in 0..<20 { _ = try await scene.peer.send(.getItems(), on: "deaf \(number)") }
            // Meanwhile, a caller that reads gets everything.
            #expect(try await scene.peer.call(.getItems(), on: "reader").error == nil)
            grown = max(grown, try scene.broker.residentAnonymousBytes - base)
        }
        #expect(try await scene.peer.call(.getItems(), on: "reader").error == nil)
        // The memory grows at most by the limit, one more message, and the answers that are just being created.
        #expect(grown < (32 << 20) + 4 * size, "\(grown) bytes")
        try await scene.peer.waitForEnd(of: "deaf 0")
    }

    @Test func `I15: a caller that keeps reading gets all its answers, however large they are`() async throws {
        let scene = try await DirectScene.start()
        _ = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        let size = 4 << 20
        _ = try await scene.peer.call(.setItems(.items([[("a/b", .bytes(size))]])), on: "witness")
        try await scene.peer.openDirect("reader", of: "owner")
        let base = try scene.broker.residentAnonymousBytes
        var serials: [Int] = []
        for number in 0..<40 {
            serials.append(try await scene.peer.send(number % 4 == 3 ? .describe() : .getItems(), on: "reader"))
        }
        for serial in serials { #expect(try await scene.peer.reply(serial, on: "reader").error == nil) }
        let grown = try scene.broker.residentAnonymousBytes - base
        #expect(grown < (32 << 20) + 4 * size, "\(grown) bytes")
    }
}
