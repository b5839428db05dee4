internal import IPCModel
internal import IPCStore

/// The use of the limits, as `Describe` reports it.
struct UsageReport {
    /// The limit of rows for sources.
    static let mostSources = 100

    let json: JSONValue

    /// - Parameters:
    ///   - stored: the content of the store. The empty source stands for writers that stated none.
    ///   - tells: whether the caller may know of an application's row.
    init(
        _ stored: StoreUsage, watchers: Int, descriptors: UInt64, tells: (String) -> Bool = { _ in true }
    ) {
        let rows = stored.bySource.filter { tells($0.source) }.sorted {
            ($1.usage.bytes, $1.usage.items, $0.source) < ($0.usage.bytes, $0.usage.items, $1.source)
        }.prefix(Self.mostSources)
        let sources = rows.map { row in
            JSONValue.strings(Self.numbers(row.usage).merging(["source": row.source]) { $1 })
        }
        let total = Self.numbers(stored.total).merging([
            "descriptors": "\(descriptors)", "memory-bytes": "\(stored.memoryBytes)", "watchers": "\(watchers)",
        ]) { $1 }
        json = .object(["sources": .array(sources), "total": .strings(total)])
    }

    private static func numbers(_ usage: Usage) -> [String: String] {
        ["bytes": "\(usage.bytes)", "items": "\(usage.items)", "pasteboards": "\(usage.pasteboards)"]
    }
}
