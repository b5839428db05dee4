import IPCTesting
import Testing

/// I10, I12: content that only one caller may get, as any D-Bus client sees it.
@Suite(.privateBus)
struct ReadOnceTests {
    @Test(arguments: [true, false])
    func `the first reader of a read-once version consumes it`(persistent: Bool) async throws {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("once", persistent: persistent, on: try await WirePeer.start())
        let count = try await board.set("secret", ["once": .b(true)])
        // Reading the metadata, the types or the properties consumes nothing.
        #expect(try await board.facts()["once"]?.truth == true)
        #expect(try await board.versions().last?["once"]?.truth == true)
        let types = try await board.call(
            .properties("Get", [.s("org.swiftipc.Pasteboard1"), .s("Types")], at: board.path))
        #expect(types.error == nil)
        #expect(try await board.get() == (count, ["secret"]))
        let after = try await board.change(after: count)
        #expect(after > count)
        #expect(try await board.get() == (after, []))
        let gone = try await board.call(.getItems(["change-count": .t(UInt64(count))], at: board.path))
        #expect(gone.error == BoardErrors.noSuchItem, "\(gone)")
        // Content that was set without `once` stays after it was read.
        let next = try await board.set("open")
        for _ in 0..<2 { #expect(try await board.get() == (next, ["open"])) }
    }

    @Test func `reading one value consumes the whole version`() async throws {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("once", on: try await WirePeer.start())
        try await board.set("secret", ["once": .b(true)])
        let first = try await board.call(.getData(0, "text/plain;charset=utf-8", at: board.path))
        #expect(first.body.first?.text == "secret", "\(first)")
        let second = try await board.call(.getData(0, "text/plain;charset=utf-8", at: board.path))
        #expect(second.error == BoardErrors.noSuchItem, "\(second)")
    }

    @Test(arguments: [true, false])
    func `I12: of many concurrent readers, exactly one gets the content`(takes: Bool) async throws {
        _ = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("raced", on: peer)
        let readers = (0..<16).map { "reader\($0)" }
        for reader in readers { try await peer.open(reader) }
        for round in 0..<TestSize.pick(small: 20, full: 500) {
            try await board.set("\(round)", takes ? [:] : ["once": .b(true)])
            let call = WireCall.getItems(takes ? ["take": .b(true)] : [:], at: board.path)
            var serials: [Int] = []
            for reader in readers { serials.append(try await peer.send(call, on: reader)) }
            var got = 0
            for (reader, serial) in zip(readers, serials) {
                let read = WireBoard.read(try await peer.reply(serial, on: reader))
                #expect(read.texts.isEmpty || read.texts == ["\(round)"])
                got += read.texts.count
            }
            #expect(got == 1)
        }
    }

    @Test(arguments: [true, false])
    func `I10: a take can be repeated by its id if the answer was lost, but not by another caller`(restarts: Bool)
        async throws
    {
        let broker = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("taken", on: peer)
        let count = try await board.set("treasure")
        let id = "6f1d1c04-5d1c-4f0e-8d54-000000000001"
        let take = WireCall.getItems(["take": .b(true), "id": .s(id)], at: board.path)
        let lost = try await board.from("lost")
        _ = try await peer.send(take, on: "lost")
        // The caller leaves without reading the answer. The new change count shows that the broker has taken the
        // content.
        let after = try await board.change(after: count)
        try await peer.close(lost.connection)
        if restarts { try await broker.restart() }
        #expect(try await board.get(["take": .b(true)]) == (after, []))
        for _ in 0..<2 { #expect(WireBoard.read(try await board.call(take)) == (count, ["treasure"])) }
        let other = try await board.call(
            .getItems(["take": .b(true), "id": .s(id), "types": .strings(["text/html"])], at: board.path))
        #expect(other.error == "org.swiftipc.Error.InvalidArguments", "\(other)")
        #expect(try await board.get() == (after, []))
    }
}
