import ArgumentParser
import IPC
import IPCTools

struct BrokerStatus: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "status", abstract: "Show how much the broker stores, for which sources, and the limits.",
        discussion: """
            Shows the use of each limit, and then the use of each source application ("-" if none was stated). In a \
            pipe, tabs separate the fields, there are no headings, and each line begins with "limit" or "source". \
            'broker describe' shows everything.

            EXAMPLES
              ipc-client broker status
              ipc-client broker status --json | jq -r .usage.total.bytes
            """)

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let description = try await broker.connect().brokerDescription()
        let report: StatusReport
        do throws(JSONError) { report = StatusReport(try JSONValue(parsing: description)) } catch {
            throw ToolFailure(
                name: "StoreUnavailable", message: "cannot read the broker's description: \(error)",
                exit: .unavailable)
        }
        try output.print(
            report.json, text: report.text(aligned: OutputStream.output.isTerminal, style: output.style))
    }
}

struct LimitUse: Sendable, Hashable {
    /// The name of the limit, as in the broker's description.
    var name: String
    /// The source to which the limit applies; nil for all sources.
    var source: String?
    var use: UInt64
    var most: UInt64
}

struct StatusReport: Sendable {
    /// The keys in the broker's description: a count in use, its limit for all sources, and its limit per source.
    private static let rows: [(use: String, limit: String, source: String?, isBytes: Bool)] = [
        ("pasteboards", "pasteboards", "pasteboards-per-source", false),
        ("items", "items", "items-per-source", false),
        ("bytes", "stored-bytes", "stored-bytes-per-source", true),
        ("memory-bytes", "memory-bytes", nil, true),
        ("watchers", "watchers", nil, false),
        ("descriptors", "descriptors", nil, false),
    ]

    private let description: JSONValue

    init(_ description: JSONValue) { self.description = description }

    private var total: JSONValue? { description["usage"]?["total"] }
    private var sources: [JSONValue] { description["usage"]?["sources"]?.array ?? [] }
    private func limit(_ name: String) -> UInt64? { description["limits"]?[name]?.count }

    /// The limits for which the description reports how much is in use.
    var limits: [LimitUse] {
        Self.rows.flatMap { row in
            let ofAll = use(of: row.limit, by: nil, total?[row.use])
            let ofSources = sources.map { use(of: row.source, by: $0["source"]?.string, $0[row.use]) }
            return ([ofAll] + ofSources).compactMap(\.self)
        }
    }

    private func use(of name: String?, by source: String?, _ use: JSONValue?) -> LimitUse? {
        guard let name, let use = use?.count, let most = limit(name) else { return nil }
        return LimitUse(name: name, source: source, use: use, most: most)
    }

    /// The parts of the description that `broker status` shows, as the broker returned them.
    var json: JSONValue {
        .object(["version": description["version"], "usage": description["usage"], "limits": description["limits"]])
    }

    func text(aligned: Bool, style: Style) -> String {
        let number = { (number: UInt64?, isBytes: Bool) in
            number.map { aligned && isBytes ? ByteSize.text($0) : String($0) } ?? "-"
        }
        var limits = Table("", "USED", "LIMIT", "LIMIT PER SOURCE")
        for row in Self.rows {
            let used = total?[row.use]?.count
            guard used != nil || limit(row.limit) != nil else { continue }
            let fields = [used, limit(row.limit), row.source.flatMap(limit)].map { number($0, row.isBytes) }
            let name = aligned && row.isBytes ? row.use.replacing("bytes", with: "size") : row.use
            limits.add(row: (aligned ? [] : ["limit"]) + [name] + fields)
        }
        var sources = Table("SOURCE", "PASTEBOARDS", "ITEMS", "SIZE")
        for source in self.sources {
            let name = source["source"]?.string ?? ""
            let fields = ["pasteboards", "items", "bytes"].map { number(source[$0]?.count, $0 == "bytes") }
            sources.add(row: (aligned ? [] : ["source"]) + [name.isEmpty ? "-" : name] + fields)
        }
        return [limits, sources].map { $0.text(aligned: aligned, style: style) }.filter { !$0.isEmpty }
            .joined(separator: aligned ? "\n\n" : "\n")
    }
}
