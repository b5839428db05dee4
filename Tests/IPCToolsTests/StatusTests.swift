import IPCModel
import IPCTools
import Testing

@testable import ipc_client

@Suite("Status")
struct StatusTests {
    private static let description = """
        {"version":"1.0","limits":{"pasteboards":"100","pasteboards-per-source":"20","items":"10","stored-bytes":"2048",\
        "watchers":"5"},"usage":{"total":{"pasteboards":"3","items":"2","bytes":"1536","watchers":"1","descriptors":"0"},\
        "sources":[{"source":"demo.A","pasteboards":"2","items":"2","bytes":"1536"},{"source":"","pasteboards":"1",\
        "items":"0","bytes":"0"}]},"store":{"path":"/x"}}
        """

    @Test func hasTabsInAPipe() throws {
        let report = StatusReport(try JSONValue(parsing: Self.description))
        #expect(
            report.text(aligned: false, style: Style(.never, for: .output)) == """
                limit\tpasteboards\t3\t100\t20
                limit\titems\t2\t10\t-
                limit\tbytes\t1536\t2048\t-
                limit\twatchers\t1\t5\t-
                limit\tdescriptors\t0\t-\t-
                source\tdemo.A\t2\t2\t1536
                source\t-\t1\t0\t0
                """)
    }

    @Test func hasColumnsOnATerminal() throws {
        let report = StatusReport(try JSONValue(parsing: Self.description))
        let lines = report.text(aligned: true, style: Style(.never, for: .output)).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("size") && $0.contains("1.5 KiB") && $0.contains("2.0 KiB") })
        #expect(lines.contains { $0.hasPrefix("SOURCE") })
    }

    @Test func isPartOfTheDescriptionAsJSON() throws {
        let json = StatusReport(try JSONValue(parsing: Self.description)).json
        #expect(json["usage"]?["total"]?["bytes"]?.count == 1_536)
        #expect(json["store"] == nil)
    }

    /// A broker that leaves out some of its facts causes no error.
    @Test func toleratesMissingFacts() throws {
        let report = StatusReport(try JSONValue(parsing: "{}"))
        #expect(report.text(aligned: true, style: Style(.never, for: .output)).isEmpty)
    }
}
