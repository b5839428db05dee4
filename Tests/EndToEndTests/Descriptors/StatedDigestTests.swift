import IPC
import IPCDBus
import IPCTesting
import Testing

/// Digests that a writer states (`digests`): a wrong digest harms only the readers of that value.
@DBusActor
@Suite(.privateBus, .serialized)
struct StatedDigestTests {
    private nonisolated static let wrong = "xxh128:" + String(repeating: "0", count: 32)
    /// Just above the size from which the broker accepts a stated digest.
    private nonisolated static let size = (1 << 20) + 1

    private static func set(_ digests: [[String]], sizes: [Int] = [size, size]) -> WireCall {
        let values = sizes.enumerated().map { WireValue.h(.sealed($1, seed: $0)) }
        return DescriptorBroker.set(values, ["digests": .array("as", digests.map(WireValue.strings))])
    }

    private func reader() async throws -> (Application, Pasteboard) {
        let bus = try PrivateBus.current
        let application = try await Application.connect(id: "demo.Reader", bus: .address(bus.address))
        return (application, try await application.pasteboard(named: "large"))
    }

    /// The library's error for reading each value alone, and for reading all of them together; `nil` for a successful
    /// read.
    private func readable(_ board: Pasteboard) async -> [IPCError.Code?] {
        var found: [IPCError.Code?] = []
        for item: UInt32 in 0..<2 {
            do throws(IPCError) {
                _ = try await board.content(forType: .octetStream, item: item)
                found.append(nil)
            } catch { found.append(error.code) }
        }
        do throws(IPCError) {
            _ = try await board.items
            found.append(nil)
        } catch { found.append(error.code) }
        return found
    }

    @Test func `I5: a wrong digest damages only its own value`() async throws {
        let world = try await DescriptorBroker.start(persistent: false)
        let (application, board) = try await reader()
        #expect(try await world.peer.call(Self.set([[""], [""]])).error == nil)
        #expect(await readable(board) == [nil, nil, nil])
        #expect(try await world.peer.call(Self.set([[Self.wrong], [""]])).error == nil)
        #expect(await readable(board) == [.inputOutput, nil, .inputOutput])
        // The bytes are still those that were written, and the next version is intact.
        #expect(try await world.values().map(\.size) == [Self.size, Self.size])
        #expect(try await world.peer.call(Self.set([[""], [""]])).error == nil)
        #expect(await readable(board) == [nil, nil, nil])
        // Closes the reader's connections to the broker, whose descriptors would otherwise be counted.
        await application.close()
        try await world.expectRestored()
    }

    @Test(arguments: [(true, size), (false, 1 << 20), (false, 100)])
    func `the broker computes the digest of persistent and small values itself`(
        _ persistent: Bool, _ size: Int
    ) async throws {
        let world = try await DescriptorBroker.start(persistent: persistent)
        let (application, board) = try await reader()
        let answer = try await world.peer.call(Self.set([[Self.wrong], [Self.wrong]], sizes: [size, size]))
        #expect(answer.error == nil, "\(answer)")
        #expect(await readable(board) == [nil, nil, nil])
        // Closes the reader's connections to the broker, whose descriptors would otherwise be counted.
        await application.close()
        try await world.expectRestored()
    }

    @Test(arguments: [
        [], [[""]], [["", ""]], [[""], []], [[""], ["", ""]], [[""], [""], [""]],
        [["xxh128:"], [""]], [["xxh128:" + String(repeating: "g", count: 32)], [""]],
        [["xxh128:" + String(repeating: "0", count: 31)], [""]], [[""], [String(repeating: "0", count: 32)]],
        [["sha256:" + String(repeating: "0", count: 64)], [""]],
    ])
    func `malformed digests are InvalidArguments, and nothing is written`(_ digests: [[String]]) async throws {
        let world = try await DescriptorBroker.start(persistent: false)
        let answer = try await world.peer.call(Self.set(digests))
        #expect(answer.error == "org.swiftipc.Error.InvalidArguments", "\(answer)")
        #expect(try await world.values().isEmpty)
        // The control: a digest in the correct form is accepted, although it is wrong.
        #expect(try await world.peer.call(Self.set([[Self.wrong], [""]])).error == nil)
        try await world.expectRestored()
    }
}
