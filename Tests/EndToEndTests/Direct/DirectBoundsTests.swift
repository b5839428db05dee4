import IPCTesting
import Testing

/// I15, I16, I17: the broker spends only limited memory and descriptors on one program's direct connections, and other
/// programs are not affected.
@Suite(.privateBus, .serialized, .enabled(if: !DirectWay.isUsual, "the test itself must open every direct connection"))
struct DirectBoundsTests {
    /// Puts sixteen values that travel as descriptors on the pasteboard of ``WireCall/board``.
    private static func fill(_ scene: DirectScene) async throws {
        #expect(try await scene.peer.call(.getPasteboard("canary"), on: "witness").error == nil)
        let values = (0..<16).map { _ in [("a/b", WireValue.h(.sealed(100_000)))] }
        #expect(try await scene.peer.call(.setItems(.items(values)), on: "witness").error == nil)
    }

    @Test(arguments: [true, false])
    func `I17: a connection that requests descriptors without reading them is closed`(_ isBounded: Bool) async throws {
        let most = isBounded ? 64 : 16_000
        let scene = try await DirectScene.start(limits: ["direct-descriptors=\(most)"])
        try await Self.fill(scene)
        try await scene.peer.openDirect("deaf", of: "owner")
        try await scene.peer.openDirect("reader", of: "witness")
        let base = try scene.broker.openDescriptors
        var held = 0
        let asks = WireCall.getItems(["fd": .b(true)])
        for number in 0..<600 {
            // The call may fail, because the broker may already have closed the connection.
            _ = try? await scene.peer.send(asks, on: "deaf")
            guard number % 20 == 0 else { continue }
            let answer = try await scene.peer.call(asks, on: "reader")
            #expect(answer.error == nil && !answer.gone)
            held = max(held, try scene.broker.openDescriptors - base)
        }
        // The broker holds at most as many descriptors as the limit allows, plus those of one more message and of the
        // answer to the reader. The control: with a very high limit, the broker closes no connection.
        #expect(isBounded ? held <= most + 3 * 16 : held > 64 + 3 * 16, "\(held) descriptors")
        if isBounded { try await scene.peer.waitForEnd(of: "deaf") }
        #expect(try await scene.peer.call(asks, on: "reader").error == nil)
        try await scene.peer.close("deaf")
        try await scene.waitForDescriptors(base - (isBounded ? 0 : 1))
    }

    /// Over the bus, which accepts everything at once, the broker holds only the descriptors that it is just creating.
    @Test func `I17: only a few descriptors are created before they are sent`() async throws {
        let scene = try await DirectScene.start()
        try await Self.fill(scene)
        let base = try scene.broker.openDescriptors
        let asks = WireCall.getItems(["fd": .b(true)])
        var (serials, made) = ([Int](), 0)
        for _ in 0..<400 {
            serials.append(try await scene.peer.send(asks, on: "owner"))
            made = max(made, try scene.broker.openDescriptors - base)
        }
        // The broker creates up to 32 descriptors at once for a caller, besides those that are just being sent.
        #expect(made <= 32 + 4 * 16, "\(made) descriptors")
        for serial in serials { #expect(try await scene.peer.reply(serial, on: "owner").error == nil) }
    }

    @Test(arguments: [true, false])
    func `I17: descriptors of incomplete messages are released`(_ isBounded: Bool) async throws {
        let most = isBounded ? 64 : 2_048
        let scene = try await DirectScene.start(limits: [
            "direct-descriptors=\(most)", "direct-connections-per-caller=100",
        ])
        try await Self.fill(scene)
        try await scene.peer.openDirect("whole", of: "witness")
        let call = WireCall.setItems(.items((0..<16).map { _ in [("a/b", WireValue.h(.sealed(10)))] }))
        for number in 0..<10 {
            try await scene.peer.openDirect("half \(number)", of: "owner")
            try await scene.peer.send(0.5, of: call, on: "half \(number)")
            #expect(try await scene.peer.call(call, on: "whole").error == nil)
        }
        if isBounded {
            for number in 0..<4 { try await scene.peer.waitForEnd(of: "half \(number)") }
        } else {
            try await scene.waitForCount(11)
        }
        #expect(try await scene.peer.call(call, on: "whole").error == nil)
    }

    @Test func `I16: only connections with incomplete messages are closed, the longest message first`() async throws {
        let scene = try await DirectScene.start(limits: [
            "direct-incoming-bytes=\(8 << 20)", "direct-connections-per-caller=100",
        ])
        _ = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        try await scene.peer.openDirect("whole", of: "witness")
        let base = try scene.broker.residentAnonymousBytes
        let call = WireCall.setItems(.items([[("a/b", .bytes(4 << 20))]]))
        for number in 0..<12 {
            try await scene.peer.openDirect("half \(number)", of: "owner")
            try await scene.peer.send(0.75, of: call, on: "half \(number)")
            #expect(try await scene.peer.call(call, on: "whole").error == nil)
        }
        // Three incomplete messages reach the limit, and one more may be arriving. The other eight connections are
        // closed.
        for number in 0..<8 { try await scene.peer.waitForEnd(of: "half \(number)") }
        let grown = try scene.broker.residentAnonymousBytes - base
        #expect(grown < 32 << 20, "\(grown) bytes")
    }

    @Test func `I16: a call that is too long is not buffered, and it is answered as on the bus`() async throws {
        let scene = try await DirectScene.start()
        _ = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        try await scene.peer.openDirect("direct", of: "owner")
        let call = WireCall.setItems(.items([[("a/b", .bytes(60 << 20))]]))
        let base = try scene.broker.residentAnonymousBytes
        try await scene.peer.send(0.9, of: call, on: "direct")
        _ = try await scene.peer.call(.describe(), on: "witness")
        let grown = try scene.broker.residentAnonymousBytes - base
        #expect(grown < 16 << 20, "\(grown) bytes")
        try await scene.peer.openDirect("another", of: "owner")
        for connection in ["another", "witness"] {
            let answer = try await scene.peer.call(call, on: connection)
            #expect(answer.error == "org.swiftipc.Error.LimitExceeded", "\(answer)")
            #expect(answer.text.contains("inline-message-bytes"), "\(answer)")
            #expect(try await scene.peer.call(.describe(), on: connection).error == nil)
        }
    }

    @Test func `I16: the number of unanswered calls per connection is limited`() async throws {
        let scene = try await DirectScene.start(limits: ["direct-calls=5"])
        for connection in ["first", "second"] { try await scene.peer.openDirect(connection, of: "owner") }
        let made = try await scene.peer.call(.getPasteboard("canary"), on: "witness")
        #expect(made.error == nil)
        let change = WireCall.waitForChange(["new"], since: 0, ["timeout": .u(60_000)])
        var waiting: [Int] = []
        for _ in 0..<5 { waiting.append(try await scene.peer.send(change, on: "first")) }
        let refused = try await scene.peer.call(.describe(), on: "first")
        #expect(refused.error == "org.swiftipc.Error.LimitExceeded" && refused.text.contains("direct-calls"))
        #expect(try await scene.peer.call(.describe(), on: "second").error == nil)
        _ = try await scene.peer.call(.getPasteboard("new"), on: "witness")
        for serial in waiting { #expect(try await scene.peer.reply(serial, on: "first").error == nil) }
        #expect(try await scene.peer.call(.describe(), on: "first").error == nil)
    }
}
