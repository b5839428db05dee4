internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Broker1`: describes this broker, and opens direct connections.
@DBusActor
struct BrokerService {
    let configuration: BrokerConfiguration
    let reader: BrokerStateReader

    /// Describes the broker as sorted JSON. A sandboxed caller learns nothing about other applications.
    private func describe(to name: BusName?) async throws -> String {
        let caller = await reader.clients.caller(name)
        let (isFree, own) = (caller.visibility.isWhole, caller.source)
        let (stored, loss) = try await reader.store.commit { ($0.usage(), $0.loss) }
        let state = reader.state(stored)
        var place = ["path": configuration.store]
        place["problem"] = loss?.description
        let usage = UsageReport(stored, watchers: state.watchers, descriptors: state.descriptors) {
            isFree || own.strength == .sandboxed && $0 == own.application
        }
        let absentDefaults = isFree ? reader.schemes.registry.absentDefaults(limit: UsageReport.mostSources) : [:]
        return JSONValue.object([
            "absent-defaults": .strings(absentDefaults),
            "features": .array(BrokerConfiguration.features.map { .string($0) }),
            "limits": .strings(configuration.limits.dictionary.mapValues(String.init)),
            "state": .strings([
                "watchers": "\(state.watchers)", "pending-requests": "\(state.pendingRequests)",
                "direct-connections": "\(state.directConnections)",
            ]),
            "store": .strings(place),
            "usage": usage.json,
            "version": .string(ProductVersion.text),
        ]).text
    }

    var exported: ExportedInterface {
        let limits = configuration.limits.dictionary
        return ExportedInterface(
            Broker1.description,
            methods: [
                Broker1.connect.answered { options, call throws in try self.reader.direct.connect(options, call) },
                Broker1.describe.answered { _, call in try await self.describe(to: call.sender) },
                Broker1.getLimits.answered { _, _ in limits },
            ],
            properties: [
                Broker1.version.answered(get: { _ in ProductVersion.text }),
                Broker1.features.answered(get: { _ in BrokerConfiguration.features }),
            ])
    }
}

/// How much of the limits is used, in total and by each source, as reported by `Describe`.
struct UsageReport {
    static let mostSources = 100

    let json: JSONValue

    /// - Parameter stored: the usage of the store. The empty source stands for all writers that named no source.
    /// - Parameter isVisible: whether the caller may see the usage of an application.
    init(
        _ stored: StoreUsage, watchers: Int, descriptors: UInt64, isVisible: (String) -> Bool = { _ in true }
    ) {
        let rows = stored.bySource.filter { isVisible($0.source) }.sorted {
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
