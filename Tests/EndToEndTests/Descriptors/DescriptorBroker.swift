import IPCTesting
import Testing

/// A broker with one pasteboard, and a peer that passes descriptors.
struct DescriptorBroker: Sendable {
    let broker: BrokerProcess
    let peer: WirePeer
    static let board = "/org/swiftipc/Broker1/pasteboards/large"
    /// The broker's anonymous memory and open descriptors before any value was passed.
    let memory: Int
    let descriptors: Int

    /// The maximum growth of the broker's memory for values passed as descriptors, of any size.
    static let memoryTolerance = 8 << 20

    /// Returns when the broker is running and has performed each kind of call once.
    static func start(persistent: Bool = true, _ arguments: [String] = []) async throws -> DescriptorBroker {
        var settings = BrokerProcess.Settings()
        settings.arguments = arguments
        let broker = try await BrokerProcess.start(settings)
        let peer = try await WirePeer.start()
        try await peer.open("caller", descriptors: true)
        try await make(peer, persistent: persistent)
        #expect(try await peer.call(set(.h(.sealed(100_000)))).error == nil)
        #expect(try await peer.call(get()).error == nil)
        try await remove(peer)
        let (memory, descriptors) = (try broker.residentAnonymousBytes, try broker.openDescriptors)
        try await make(peer, persistent: persistent)
        return DescriptorBroker(broker: broker, peer: peer, memory: memory, descriptors: descriptors)
    }

    private static func make(_ peer: WirePeer, persistent: Bool) async throws {
        let options = WireValue.options(["create": .b(true), "persistent": .b(persistent)])
        #expect(try await peer.call(WireCall("Pasteboards1", "GetPasteboard", [.s("large"), options])).error == nil)
    }

    private static func remove(_ peer: WirePeer) async throws {
        #expect(try await peer.call(.removePasteboard("large")).error == nil)
    }

    static let type = "application/octet-stream"

    /// A call that sets one item with one value.
    static func set(_ value: WireValue, _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        set([value], options)
    }

    /// A call that sets one item for each value.
    static func set(_ values: [WireValue], _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        .setItems(.items(values.map { [(type, $0)] }), options, at: board)
    }

    static func get(descriptors: Bool = true) -> WireCall {
        .getItems(descriptors ? ["fd": .b(true)] : [:], at: board)
    }

    /// The values of the board's items, as the peer describes them.
    func values(descriptors: Bool = true) async throws -> [ReadValue] {
        let answer = try await peer.call(Self.get(descriptors: descriptors))
        guard answer.error == nil, answer.body.count == 3 else { throw HarnessError("GetItems: \(answer)") }
        return (answer.body[1].elements ?? []).compactMap { $0[0]?[1].map(ReadValue.init) }
    }

    /// I16, I17: removes the board, and checks that memory and descriptors return to their earlier values within a
    /// second.
    func expectRestored(_ location: SourceLocation = #_sourceLocation) async throws {
        #expect(try await peer.call(.removePasteboard("large")).error == nil, sourceLocation: location)
        let (broker, peer, descriptors) = (broker, peer, descriptors)
        do {
            try await withDeadline("descriptors back at \(descriptors)", limit: .seconds(1)) {
                while try broker.openDescriptors > descriptors { _ = try await peer.call(.describe()) }
            }
        } catch is DeadlineExceeded {
            #expect(try broker.openDescriptors == descriptors, sourceLocation: location)
        }
        try expectLittleMemory(location)
    }

    /// I16: checks that the broker has not read the values into its memory.
    func expectLittleMemory(_ location: SourceLocation = #_sourceLocation) throws {
        let grown = try broker.residentAnonymousBytes - memory
        #expect(grown < Self.memoryTolerance, "\(grown) bytes", sourceLocation: location)
    }
}

/// A value that was read back.
struct ReadValue: Sendable, Hashable {
    /// Whether it arrived as a descriptor.
    let isDescriptor: Bool
    let size: Int
    let digest: String
    /// For a descriptor: whether it is writable, and its file position.
    let isWritable: Bool
    let offset: Int

    init(_ value: JSONValue) {
        isDescriptor = value["size"] != nil
        size = value["size"]?.number ?? value["bytes"]?.number ?? -1
        digest = value["digest"]?.text ?? ""
        isWritable = value["writable"]?.truth ?? false
        offset = value["offset"]?.number ?? 0
    }
}
