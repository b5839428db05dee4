import IPCModel
import IPCTesting
import Testing

@testable import IPCStore

/// I23: the broker starts with any row that has a valid checksum; otherwise one such row would make every start fail.
@Suite(.privateBus)
struct CraftedRowStartTests {
    /// The values to write to a column: one of them in small runs, all of them in full runs.
    private static func values(_ column: Int) -> [SQLValue] {
        let all: [SQLValue] = [
            .integer(-1), .integer(.max), .bytes([UInt8](repeating: 255, count: 11)), .text("a\u{0} ~"),
        ]
        return TestSize.pick(small: [all[column % all.count]], full: all)
    }

    @Test(arguments: CraftedTable.all)
    func `I23: the broker starts and answers with any content of its rows`(table: CraftedTable) async throws {
        let bus = try PrivateBus.current
        var starts = 0
        for column in 0..<Int(table.checksum) {
            for value in Self.values(column) {
                let place = try TestPlace()
                let store = try place.open()
                try await store.commit { try CraftedRowTests.write($0, .named("demo.Board"), .random()) }
                let changed = try await store.commit { try table.craft(column, value, $0.session.transaction) }
                try await store.close()
                guard changed else { continue }
                var settings = BrokerProcess.Settings()
                settings.store = place.store
                let broker = try await BrokerProcess.start(on: bus, settings)
                for (interface, member, arguments) in Self.calls {
                    let result = try await RunningProcess.run(
                        "gdbus",
                        [
                            "call", "--session", "--dest", BrokerProcess.busName, "--object-path",
                            "/org/swiftipc/Broker1",
                        ]
                            + ["--method", "org.swiftipc.\(interface).\(member)"] + arguments,
                        environment: bus.environment)
                    #expect(result.status == .success, "\(member), column \(column), \(value): \(result.errors)")
                }
                #expect(broker.isRunning)
                #expect(try await broker.terminate() == .success, "column \(column), \(value): \(broker.log)")
                starts += 1
            }
        }
        #expect(starts > 0)
    }

    private static let calls = [
        ("Broker1", "Describe", ["{}"]), ("Pasteboards1", "ListPasteboards", ["{}"]),
        ("URLs1", "ListRequests", ["{}"]), ("Schemes1", "ListHandlers", ["", "{}"]),
    ]
}
