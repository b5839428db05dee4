internal import IPCStore

/// What is in use of the limits, as `Describe` tells it. 64-bit numbers are strings, because many readers of JSON keep
/// numbers as doubles.
struct UsageReport: Encodable {
    private struct Total: Encodable {
        let pasteboards: String
        let items: String
        let bytes: String
        let memoryBytes: String
        let watchers: String
        let descriptors: String

        enum CodingKeys: String, CodingKey {
            case pasteboards, items, bytes, watchers, descriptors
            case memoryBytes = "memory-bytes"
        }
    }

    private struct Row: Encodable {
        let source: String
        let pasteboards: String
        let items: String
        let bytes: String
    }

    private let total: Total
    private let sources: [Row]

    /// The most rows of sources.
    static let mostSources = 100

    /// - Parameters:
    ///   - stored: what the store keeps; the empty source stands for writers that stated none.
    ///   - tells: whether the caller may know of an application's row.
    init(
        _ stored: StoreUsage, watchers: Int, descriptors: UInt64, tells: (String) -> Bool = { _ in true }
    ) {
        total = Total(
            pasteboards: "\(stored.total.pasteboards)", items: "\(stored.total.items)",
            bytes: "\(stored.total.bytes)", memoryBytes: "\(stored.memoryBytes)", watchers: "\(watchers)",
            descriptors: "\(descriptors)")
        sources = stored.bySource.filter { tells($0.source) }.sorted {
            ($1.usage.bytes, $1.usage.items, $0.source) < ($0.usage.bytes, $0.usage.items, $1.source)
        }.prefix(Self.mostSources).map { row in
            Row(
                source: row.source, pasteboards: "\(row.usage.pasteboards)", items: "\(row.usage.items)",
                bytes: "\(row.usage.bytes)")
        }
    }
}
