import IPCTesting
import Testing

/// I4: a full disk under the broker, from its callers' point of view.
@Suite(.privateBus, .serialized, .enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
struct FullDiskTests {
    private static let noSpace = "org.swiftipc.Error.NoSpace"

    @Test func `I4: a full disk rejects writes, loses nothing, and recovers when there is space`() async throws {
        let disk = try #require(SmallFileSystem(megabytes: 8))
        var settings = BrokerProcess.Settings()
        settings.store = disk.path + "/store"
        let broker = try await BrokerProcess.start(settings)
        let pid = broker.pid
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("kept", on: peer)
        let probe = try await WireBoard.make("probe", on: peer)
        let memory = try await WireBoard.make("memory", persistent: false, on: peer, "other")
        let large = WireCall.setItems(
            .items([[("application/octet-stream", .h(.sealed(500_000)))]]), at: board.path)
        var last = try await board.set("before")
        var text: String? = "before"
        for round in 0..<20 {
            // Space that was released may become free a little later, so the disk is filled again until nothing fits.
            repeat { disk.fill() } while try await probe.call(.setItems(.item("fits"), at: probe.path)).error == nil
            for call in [
                WireCall.setItems(.item("lost"), at: board.path), .addItems(.item("lost"), at: board.path), large,
                .clear(at: board.path), .getItems(["take": .b(true)], at: board.path), .getPasteboard("lost"),
            ] {
                let refused = try await board.call(call)
                #expect(refused.error == Self.noSpace, "\(round), \(call.member): \(refused)")
            }
            #expect(try await board.get() == (last, [text]))
            // Operations on pasteboards in memory continue, because they need no disk.
            let count = try await memory.set("\(round)")
            #expect(try await memory.get() == (count, ["\(round)"]))
            disk.empty()
            if round % 2 == 0 {
                last = try await board.set("after \(round)")
                text = "after \(round)"
            } else {
                let answer = try await board.call(large)
                last = try #require(answer.body.first?.number, "\(answer)")
                text = nil
            }
            #expect(try await board.get().count == last)
        }
        #expect(broker.isRunning && broker.pid == pid)
        try await broker.restart()
        #expect(try await board.get().count == last)
        let read = try await board.call(.getItems(["fd": .b(true)], at: board.path))
        #expect(try await read.body[1][0]?[0]?[1]?["digest"]?.text == peer.digest(500_000))
    }
}
