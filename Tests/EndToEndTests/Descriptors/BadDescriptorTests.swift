import IPCModel
import IPCTesting
import Testing

/// I5, I15, I17, I23: whatever descriptor a caller passes, it is rejected or copied exactly, without delay for others.
@Suite(.privateBus, .serialized)
struct BadDescriptorTests {
    private static let tries = TestSize.pick(small: 40, full: 2_000)
    private static let size = 200_000
    private static let refused = "org.swiftipc.Error.PayloadInvalid"

    /// None of these is a sealed memory file or a readable regular file.
    @Test(
        arguments: ["fifo", "pipe", "directory", "socket", "device", "terminal", "path", "write-only"],
        [true, false])
    func `I17, I23: a descriptor that is not a readable file is PayloadInvalid`(kind: String, persistent: Bool)
        async throws
    {
        let world = try await DescriptorBroker.start(persistent: persistent)
        try await expect(world, kind: kind) { tries in
            #expect(tries.tally == [Self.refused: Self.tries], "\(kind): \(tries)")
        }
    }

    @Test(arguments: [true, false])
    func `a memory file without seals is copied exactly`(persistent: Bool) async throws {
        let world = try await DescriptorBroker.start(persistent: persistent)
        let digest = try await world.peer.digest(Self.size)
        for meddling in [nil, WirePeer.Meddling.seal] {
            try await expect(world, kind: "unsealed", meddling) { tries in
                #expect(tries.tally == ["accepted": Self.tries], "\(tries)")
                #expect(tries.read == ["\(Self.size) \(digest)": Self.tries], "\(tries)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a file that changes during the copy is stored in one consistent form`(persistent: Bool) async throws {
        for kind in ["unsealed", "file"] {
            let world = try await DescriptorBroker.start(persistent: persistent)
            try await expect(world, kind: kind, .flip) { tries in
                #expect(tries.tally == ["accepted": Self.tries], "\(tries)")
                // Chance decides which bytes are copied. The copy is complete and matches its digest, which is checked
                // when the value is read.
                #expect(tries.read.keys.allSatisfy { $0.hasPrefix("\(Self.size) ") }, "\(tries)")
            }
            try await world.broker.terminate()
        }
    }

    @Test(arguments: [true, false])
    func `a file that is truncated during the copy is rejected or stored whole`(persistent: Bool) async throws {
        for kind in ["unsealed", "file"] {
            let world = try await DescriptorBroker.start(persistent: persistent)
            try await expect(world, kind: kind, .truncate) { tries in
                #expect(Set(tries.tally.keys).isSubset(of: ["accepted", Self.refused]), "\(tries)")
                let lengths = Set(tries.read.keys.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } })
                #expect(lengths.isSubset(of: [Self.size, Self.size / 3]), "\(tries)")
            }
            try await world.broker.terminate()
        }
    }

    @Test(arguments: [true, false])
    func `a sparse file of 1 TiB is rejected immediately`(persistent: Bool) async throws {
        let world = try await DescriptorBroker.start(persistent: persistent)
        for kind in ["sparse"] {
            try await expect(world, kind: kind, size: 1 << 40) { tries in
                #expect(tries.tally == ["org.swiftipc.Error.LimitExceeded": Self.tries], "\(tries)")
            }
        }
    }

    @Test func `I23: a missing descriptor is an error or closes the caller's connection`()
        async throws
    {
        let world = try await DescriptorBroker.start()
        for number in 0..<Self.tries {
            let connection = "wrong-\(number)"
            try await world.peer.open(connection, descriptors: true)
            let values: [WireValue] = number % 2 == 0 ? [.h(index: 0)] : [.h(.sealed(100_000)), .h(index: 7)]
            let answer = try await world.peer.call(DescriptorBroker.set(values), on: connection)
            #expect(answer.gone || answer.error != nil, "\(answer)")
            try await world.peer.close(connection)
        }
        #expect(world.broker.isRunning)
        #expect(try await world.values().isEmpty)
        try await world.expectRestored()
    }

    /// The control: the same loop accepts valid descriptors, and finds the same bytes in each value that it reads back.
    @Test func `a sealed memory file is accepted`() async throws {
        let world = try await DescriptorBroker.start()
        let digest = try await world.peer.digest(Self.size)
        try await expect(world, kind: "sealed") { tries in
            #expect(tries.tally == ["accepted": Self.tries], "\(tries)")
            #expect(tries.read == ["\(Self.size) \(digest)": Self.tries], "\(tries)")
        }
        #expect(try await world.peer.digest(Self.size, seed: 2) != digest)
    }

    /// Passes a descriptor of this kind many times, and checks that the broker is unchanged and no other caller waited
    /// long.
    private func expect(
        _ world: DescriptorBroker, kind: String, size: Int = Self.size, _ meddling: WirePeer.Meddling? = nil,
        _ check: (WirePeer.Tries) throws -> Void
    ) async throws {
        let pid = world.broker.pid
        let other = try await BrokerClient()
        try await other.create("other")
        let call = DescriptorBroker.set(.h(WireDescriptor(kind: kind, size: size)))
        async let tries = world.peer.tries(
            Self.tries, of: call, meddling: meddling, reading: DescriptorBroker.get())
        let waits = try await waits(other, Self.tries / 4)
        try check(try await tries)
        #expect(waits < .milliseconds(250))
        #expect(world.broker.isRunning && world.broker.pid == pid)
        #expect(try await world.peer.call(DescriptorBroker.set(.h(.sealed(Self.size)))).error == nil)
        // The board keeps the accepted content, so it is cleared before the broker's memory is measured.
        #expect(try await world.peer.call(.clear(at: DescriptorBroker.board)).error == nil)
        try world.expectLittleMemory()
    }

    /// Makes this many small writes, and returns the longest time that one of them took.
    private func waits(_ client: BrokerClient, _ count: Int) async throws -> Duration {
        var longest = Duration.zero
        for number in 0..<count {
            let begin = ContinuousClock.now
            try await client.set([.string("\(number)")], on: "other")
            longest = max(longest, ContinuousClock.now - begin)
        }
        return longest
    }
}
