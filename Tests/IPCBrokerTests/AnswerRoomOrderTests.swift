import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker

/// The order in which reads of several callers get space for their answers.
@DBusActor
@Suite(.privateBus, .timeLimit(.minutes(1)))
struct AnswerRoomOrderTests {
    private static let read = Method(
        "org.example.A", "Read", takes: .of(Argument<String>("name")), returns: .none, "Reads a pasteboard.")

    @Test func `I15: a small answer does not wait for space that large answers have used up`() async throws {
        let address = try PrivateBus.current.address
        let service = try await Connection.open(.address(address))
        let room = AnswerRoom(limits: Limits())
        for (name, bytes) in [("small", 100), ("large", 8 << 20)] {
            let value = Representation(type: try ContentType("a/b"), value: .bytes([UInt8](repeating: 0, count: bytes)))
            room.writing([try PasteboardItem([value])], to: try PasteboardName(name), isAddition: false)
        }
        var (begun, waiting): ([String], [String: CheckedContinuation<Void, Never>]) = ([], [:])
        let isBegun = Waiters()
        service.objects.export(
            [
                ExportedInterface(
                    InterfaceDescription("org.example.A", "An interface for tests.", [Self.read.description]),
                    methods: [
                        Self.read.answered { (name, call) async throws in
                            let subject = AnswerRoom.Subject(
                                name: try PasteboardName(name), takesDescriptors: false, isOneValue: false)
                            call.keepUntilAnswered(try await room.place(for: subject, call))
                            begun.append(name)
                            isBegun.resumeAll()
                            guard name == "large", waiting["large"] == nil else { return }
                            await withCheckedContinuation { waiting["large"] = $0 }
                        }
                    ])
            ], at: "/a")
        let name = try #require(service.uniqueName)
        func call(_ board: String) async throws {
            let caller = try await Connection.open(.address(address))
            try await caller.call(Self.read, on: name, at: "/a", board)
        }
        async let first: Void = call("large")
        await isBegun.wait { begun.isEmpty }
        async let second: Void = call("large")
        try await call("small")
        // The second large answer waits until the first one is sent.
        #expect(begun == ["large", "small"])
        waiting["large"]?.resume()
        _ = try await (first, second)
        #expect(begun == ["large", "small", "large"])
    }
}
