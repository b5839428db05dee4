import Foundation
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker
@testable import IPCStore

@Suite struct UsageReportTests {
    private func kept(_ bytes: UInt64) -> Usage { Usage(pasteboards: 1, items: 2, bytes: bytes) }

    private func stored(_ total: Usage, _ sources: [(String, Usage)]) -> StoreUsage {
        StoreUsage(total: total, memoryBytes: 8, bySource: sources.map { (source: $0, usage: $1) })
    }

    private func json(_ report: UsageReport) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(report.json.text.utf8)) as? NSDictionary)
    }

    @Test func `numbers are strings, exact to 64 bits, and rows are sorted by bytes, descending`() throws {
        let report = UsageReport(
            stored(
                Usage(pasteboards: 3, items: 9, bytes: .max),
                [("b", kept(5)), ("", kept(7)), ("a", kept(5)), ("max", kept(.max))]), watchers: 4, descriptors: 2)
        let told = try json(report)
        #expect(
            told["total"] as? [String: String] == [
                "pasteboards": "3", "items": "9", "bytes": "18446744073709551615", "memory-bytes": "8", "watchers": "4",
                "descriptors": "2",
            ])
        let rows = try #require(told["sources"] as? [[String: String]])
        #expect(rows.map { $0["source"] } == ["max", "", "a", "b"])
        #expect(rows[1] == ["source": "", "pasteboards": "1", "items": "2", "bytes": "7"])
    }

    @Test func `at most 100 sources are reported, those with the most bytes`() throws {
        var generator = SeededGenerator.forTest("usage report")
        let sources = (0..<250).map { ("a\($0)", kept(UInt64($0))) }.shuffled(using: &generator)
        let report = UsageReport(stored(kept(0), sources), watchers: 0, descriptors: 0)
        let rows = try #require(try json(report)["sources"] as? [[String: String]])
        #expect(rows.map { $0["source"] } == (150..<250).reversed().map { "a\($0)" })
    }

    @Test func `a sandboxed caller gets only its own row`() throws {
        let stored = stored(kept(3), [("mine", kept(1)), ("other", kept(2))])
        let report = UsageReport(stored, watchers: 0, descriptors: 0) { $0 == "mine" }
        let told = try json(report)
        #expect((told["sources"] as? [[String: String]])?.map { $0["source"] } == ["mine"])
        #expect((told["total"] as? [String: String])?["bytes"] == "3")
    }
}
