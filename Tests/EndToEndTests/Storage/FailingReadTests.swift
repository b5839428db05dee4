import Foundation
import IPCTesting
import Testing

/// I5: the disk cannot read a page of the store while the broker starts.
@Suite(.privateBus, .serialized, .timeLimit(.minutes(10)))
struct FailingReadTests {
    /// The reads that fail, each in a separate start.
    private static let reads = TestSize.pick(small: 1...24, full: 1...200)

    private enum End { case orderly, kill }

    /// A read that fails while the store is opened has no effect. A later one stops the broker, like any disk failure,
    /// and the next start checks the whole file.
    @Test func `I5: one failed read loses no pasteboard and at most one start`() async throws {
        var broker = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let boards = try await Self.fill(on: peer)
        let store = broker.store
        var ends = 0
        for end in [End.orderly, .kill] {
            for read in Self.reads {
                try await Self.end(broker, end)
                var settings = BrokerProcess.Settings()
                settings.failing = .read(read)
                if let failing = try? await BrokerProcess.start(settings) {
                    broker = failing
                    if try await Self.areRight(boards) { continue }
                    #expect(try await broker.wait() != .success)
                }
                ends += 1
                broker = try await BrokerProcess.start()
                #expect(try await Self.areRight(boards), "read \(read) after \(end)")
            }
        }
        try await broker.terminate()
        // The control: some reads failed, because a damaged file was moved aside.
        let damaged = try FileManager.default.contentsOfDirectory(atPath: store).filter { $0.contains(".damaged-") }
        print("failing reads: \(ends) of \(2 * Self.reads.count) starts ended, \(damaged.count) files put away")
        #expect(!damaged.isEmpty)
        #expect(ends < 2 * Self.reads.count)
    }

    /// Fills pasteboards that each need their own pages.
    private static func fill(on peer: WirePeer) async throws -> [WireBoard] {
        var boards: [WireBoard] = []
        for number in 0..<20 {
            let board = try await WireBoard.make("board\(number)", on: peer)
            try await board.set(text(board.name))
            boards.append(board)
        }
        return boards
    }

    /// Whether each pasteboard has its text; false if the broker does not answer.
    private static func areRight(_ boards: [WireBoard]) async throws -> Bool {
        for board in boards {
            let answer = try await board.call(.getItems(at: board.path))
            guard answer.error == nil, answer.body[1][0]?[0]?[1]?.text == text(board.name) else { return false }
        }
        return true
    }

    private static func text(_ name: String) -> String { String(repeating: name + " ", count: 1_000) }

    private static func end(_ broker: BrokerProcess, _ end: End) async throws {
        switch end {
        case .orderly: try await broker.terminate()
        case .kill: try await broker.kill9()
        }
    }
}
