import Glibc
import IPCModel
import IPCTesting
import Testing

/// I16: a client that is stopped while watching costs the bus and the broker next to nothing, however much happens.
@Suite(.privateBus, .serialized)
struct StoppedWatcherTests {
    private static let changes = TestSize.pick(small: 500, full: 10_000)
    /// The maximum growth of the bus's memory due to messages queued for slow readers.
    private static let bound = 16 << 20

    @Test(.enabled(if: BusImplementation.current == .daemon, "the memory of dbus-daemon is measured"))
    func `I16: a stopped watcher costs the bus and the broker no memory`() async throws {
        let broker = try await BrokerProcess.start()
        let writer = try await BrokerClient()
        try await writer.create("watched")
        let since = try await writer.set([.string(Self.text(0))], on: "watched")
        let watcher = try await WirePeer.start()
        try await watcher.open("caller")
        var serials: [Int] = []
        for _ in 0..<100 {
            serials.append(try await watcher.send(.waitForChange([], since: since, ["timeout": .u(600_000)])))
        }
        // When this call is answered, the broker has read the hundred calls before it.
        #expect(try await watcher.call(.describe()).error == nil)
        watcher.signal(SIGSTOP)
        defer { watcher.signal(SIGCONT) }
        let bus = ProcessStatus(pid: try PrivateBus.current.pid)
        for number in 1...100 { try await writer.set([.string(Self.text(number))], on: "watched") }
        let base = (bus: try bus.residentAnonymousBytes, broker: try broker.residentAnonymousBytes)
        for number in 0..<Self.changes { try await writer.set([.string(Self.text(number))], on: "watched") }
        let grown = (
            bus: try bus.residentAnonymousBytes - base.bus, broker: try broker.residentAnonymousBytes - base.broker
        )
        print(
            "stopped watcher: \(Self.changes) changes, the bus grew by \(grown.bus), the broker by \(grown.broker) bytes"
        )
        #expect(grown.bus < Self.bound)
        #expect(grown.broker < Self.bound)
        watcher.signal(SIGCONT)
        for serial in serials {
            let answer = try await watcher.reply(serial)
            #expect(answer.body[1][0]?[0]?.text == "watched", "\(answer)")
        }
        let last = try await writer.get("watched").count
        #expect(try await watcher.call(.waitForChange([], since: since)).body[0].number == Int(last))
    }

    private static func text(_ number: Int) -> String { "\(number):" + String(repeating: "x", count: 10_000) }

    /// The control: the bus's memory grows if each change is broadcast to a client that is stopped.
    @Test(.enabled(if: BusImplementation.current == .daemon, "the memory of dbus-daemon is measured"))
    func `control: a stopped subscriber to broadcasts makes the bus grow`() async throws {
        let bus = ProcessStatus(pid: try PrivateBus.current.pid)
        let listener = try await WirePeer.start()
        try await listener.open("caller")
        #expect(
            try await listener.call(.bus("AddMatch", [.s("type='signal',interface='org.example.Telling'")])).error
                == nil)
        let teller = try await WirePeer.start()
        try await teller.open("caller")
        listener.signal(SIGSTOP)
        defer { listener.signal(SIGCONT) }
        let base = try bus.residentAnonymousBytes
        try await teller.broadcast("org.example.Telling", "Changed", [.repeated("x", 10_000)], count: 4_000)
        // When this call is answered, the bus has read all broadcasts.
        #expect(try await teller.call(.bus("GetId", [])).error == nil)
        #expect(try bus.residentAnonymousBytes - base > Self.bound)
    }
}
