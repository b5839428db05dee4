import IPCTesting
import Testing

/// I16, I17: values passed as descriptors come back byte for byte, do not stay in the broker's memory, and leave no
/// descriptor open.
@Suite(.privateBus, .serialized)
struct LargeValueTests {
    private static let sizes =
        [1, 65_535, 65_536, 65_537, 1 << 20, 64 << 20] + TestSize.pick(small: [], full: [1 << 30])
    private static let kinds = ["sealed", "unsealed", "file"]

    @Test(arguments: [true, false])
    func `I16, I17: a value of any size travels by descriptor and is returned byte for byte`(persistent: Bool)
        async throws
    {
        for kind in Self.kinds {
            for (seed, size) in Self.sizes.enumerated() {
                // A volatile board keeps everything in memory, though not in the broker's own.
                let world = try await DescriptorBroker.start(persistent: persistent)
                let descriptor = WireDescriptor(kind: kind, size: size, seed: seed)
                let answer = try await world.peer.call(DescriptorBroker.set(.h(descriptor)))
                #expect(answer.error == nil, "\(kind), \(size): \(answer)")
                try world.expectLittleMemory()
                let expected = try await world.peer.digest(size, seed: seed)
                let value = try #require(try await world.values().first)
                #expect(value.size == size && value.digest == expected, "\(kind), \(size): \(value)")
                #expect(value.isDescriptor == (size > 65_536), "\(kind), \(size)")
                #expect(!value.isWritable && value.offset == 0)
                // A second read also starts at the beginning of the file: readers do not share a file position.
                #expect(try await world.values().first == value)
                try await world.expectRestored()
                try await world.broker.terminate()
            }
        }
    }

    @Test func `16 MiB are sent inline, and one byte more is LimitExceeded`() async throws {
        let world = try await DescriptorBroker.start()
        let most = 16 << 20
        #expect(try await world.peer.call(DescriptorBroker.set(.bytes(most))).error == nil)
        let inline = try #require(try await world.values(descriptors: false).first)
        #expect(try await inline.digest == world.peer.digest(most) && !inline.isDescriptor)
        let byDescriptor = try #require(try await world.values().first)
        #expect(byDescriptor.digest == inline.digest && byDescriptor.isDescriptor)
        let refused = try await world.peer.call(DescriptorBroker.set(.bytes(most + 1)))
        #expect(
            refused.error == "org.swiftipc.Error.LimitExceeded" && refused.text.contains("descriptor"), "\(refused)")
        let two = try await world.peer.call(DescriptorBroker.set([.bytes(most), .bytes(1)]))
        #expect(two.error == "org.swiftipc.Error.LimitExceeded", "\(two)")
        #expect(try await world.values().first?.digest == inline.digest)
        // This value, written as a descriptor, is too large for a reader that does not accept descriptors.
        #expect(try await world.peer.call(DescriptorBroker.set(.h(.sealed(most + 1)))).error == nil)
        let unasked = try await world.peer.call(DescriptorBroker.get(descriptors: false))
        #expect(unasked.error == "org.swiftipc.Error.LimitExceeded" && unasked.text.contains("fd"), "\(unasked)")
        #expect(try await world.values().first?.size == most + 1)
    }

    @Test(arguments: [true, false])
    func `a message has room for 16 values by descriptor and one more inline`(persistent: Bool) async throws {
        for count in [1, 16, 17] {
            let world = try await DescriptorBroker.start(persistent: persistent)
            let sizes = (0..<count).map { (1 << 20) + $0 }
            let values: [WireValue] = sizes.enumerated().map { place, size in
                // The bus disconnects a sender that passes a seventeenth descriptor.
                place < 16 ? .h(.sealed(size, seed: place)) : .bytes(size, seed: place)
            }
            #expect(try await world.peer.call(DescriptorBroker.set(values)).error == nil)
            let read = try await world.values()
            for (place, value) in read.enumerated() {
                #expect(try await value.digest == world.peer.digest(sizes[place], seed: place), "\(place) of \(count)")
            }
            #expect(read.map(\.size) == sizes && read.count { $0.isDescriptor } == min(count, 16))
            // A message has at most 16 descriptors, so the smallest of 17 values is sent inline.
            if count > 16 { #expect(!read[0].isDescriptor) }
            try await world.expectRestored()
            try await world.broker.terminate()
        }
    }

    /// Only dbus-daemon closes the connection: dbus-broker allows a seventeenth descriptor.
    @Test(.enabled(if: BusImplementation.current == .daemon, "a limit of dbus-daemon"))
    func `a seventeenth descriptor closes only the caller's connection`() async throws {
        let world = try await DescriptorBroker.start()
        let pid = world.broker.pid
        try await world.peer.open("greedy", descriptors: true)
        let answer = try await world.peer.call(
            DescriptorBroker.set((0..<17).map { .h(.sealed(100_000, seed: $0)) }), on: "greedy")
        #expect(answer.gone, "\(answer)")
        #expect(world.broker.isRunning && world.broker.pid == pid)
        #expect(try await world.values().isEmpty)
        try await world.expectRestored()
    }

    @Test func `content that does not fit in one message is LimitExceeded when it is written`() async throws {
        let world = try await DescriptorBroker.start()
        let large = (17 << 20, DescriptorBroker.type)
        let sixteen = (0..<16).map { WireValue.h(.sealed(large.0, seed: $0)) }
        #expect(try await world.peer.call(DescriptorBroker.set(sixteen)).error == nil)
        let added = try await world.peer.call(
            .addItems(.items([[(large.1, .h(.sealed(large.0)))]]), at: DescriptorBroker.board))
        #expect(added.error == "org.swiftipc.Error.LimitExceeded", "\(added)")
        #expect(added.text.contains("descriptors-per-message"), "\(added)")
        #expect(try await world.values().count == 16)
        try await world.expectRestored()
    }
}
