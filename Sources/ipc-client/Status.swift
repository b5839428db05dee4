import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Status: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        _superCommandName: Client.tool,
        abstract: "Show how much the broker keeps, of what limit, and for whom.",
        discussion: """
            First the use of what is limited, then the use by source application ("-" where none was stated). In a pipe \
            fields are separated by tabs, without headings, "limit" or "source" in front. 'describe' shows everything.

            EXAMPLES
              ipc-client status
              ipc-client status --json | jq -r .usage.total.bytes
            """)

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let description = try await Client.connect().brokerDescription()
        let report: StatusReport
        do throws(JSONError) { report = StatusReport(try JSONValue(parsing: description)) } catch {
            throw ToolFailure(
                name: "StoreUnavailable", message: "the broker's description cannot be read: \(error)",
                exit: .unavailable)
        }
        if output.json { return try OutputStream.output.writeLine(report.json.text) }
        try OutputStream.output.writeLine(report.text(aligned: OutputStream.output.isTerminal, style: output.style))
    }
}

/// The use of a limit.
struct LimitUse: Sendable, Hashable {
    /// The name on the wire.
    var name: String
    /// The source that it counts for; nil for all sources.
    var source: String?
    var use: UInt64
    var most: UInt64
}

/// The use of limits in the broker's description.
struct StatusReport: Sendable {
    /// What is used, as the description names it, with the limits of all sources and of one.
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

    /// Every limit whose use the description states.
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

    /// The parts of the description that `status` shows, as the broker gave them.
    var json: JSONValue {
        .object(["version": description["version"], "usage": description["usage"], "limits": description["limits"]])
    }

    func text(aligned: Bool, style: Style) -> String {
        var limits = aligned ? Table("", "USED", "OF", "OF ONE SOURCE") : Table("", "", "", "", "")
        for row in Self.rows {
            let used = total?[row.use]?.count
            guard used != nil || limit(row.limit) != nil else { continue }
            let fields = [used, limit(row.limit), row.source.flatMap(limit)].map { number in
                number.map { aligned && row.isBytes ? ByteSize.text($0) : String($0) } ?? "-"
            }
            let name = aligned && row.isBytes ? row.use.replacing("bytes", with: "size") : row.use
            limits.add(row: (aligned ? [] : ["limit"]) + [name] + fields)
        }
        var sources = aligned ? Table("SOURCE", "PASTEBOARDS", "ITEMS", "SIZE") : Table("", "", "", "", "")
        for source in self.sources {
            let name = source["source"]?.string ?? ""
            let bytes = source["bytes"]?.count
            sources.add(
                row: (aligned ? [] : ["source"]) + [
                    name.isEmpty ? "-" : name, Self.text(source["pasteboards"]?.count),
                    Self.text(source["items"]?.count),
                    aligned ? bytes.map(ByteSize.text) ?? "-" : Self.text(bytes),
                ])
        }
        return [limits, sources].map { $0.text(aligned: aligned, style: style) }.filter { !$0.isEmpty }
            .joined(separator: aligned ? "\n\n" : "\n")
    }

    private static func text(_ number: UInt64?) -> String { number.map(String.init) ?? "-" }
}
