internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// `org.swiftipc.Broker1`: what this broker is, and its state.
@DBusActor
final class BrokerService {
    private let configuration: BrokerConfiguration
    private let state: @DBusActor () -> [String: String]
    private let usage: @DBusActor (BusName?) async throws -> UsageReport
    private let absentDefaults: @DBusActor (BusName?) async -> [String: String]
    private let direct: DirectConnections

    /// - Parameters:
    ///   - state: figures of the moment, for people.
    ///   - usage: the use of the limits, as far as a caller may know.
    ///   - absentDefaults: chosen applications without a claim, by scheme, as far as a caller may know.
    init(
        _ configuration: BrokerConfiguration, direct: DirectConnections,
        state: @escaping @DBusActor () -> [String: String],
        usage: @escaping @DBusActor (BusName?) async throws -> UsageReport,
        absentDefaults: @escaping @DBusActor (BusName?) async -> [String: String]
    ) {
        (self.configuration, self.direct, self.state, self.usage) = (configuration, direct, state, usage)
        self.absentDefaults = absentDefaults
    }

    /// One JSON text with sorted keys.
    private func describe(to caller: BusName?) async throws -> String {
        let usage = try await usage(caller).json
        let absentDefaults = await absentDefaults(caller)
        return JSONValue.object([
            "absent-defaults": .strings(absentDefaults),
            "features": .array(BrokerConfiguration.features.map { .string($0) }),
            "limits": .strings(configuration.limits.dictionary.mapValues(String.init)),
            "state": .strings(state()),
            "store": .strings(["path": configuration.store]),
            "usage": usage,
            "version": .string(ProductVersion.text),
        ]).text
    }

    var exported: ExportedInterface {
        let limits = configuration.limits.dictionary
        return ExportedInterface(
            Broker1.description,
            methods: [
                Broker1.connect.answered { options, call throws in try self.direct.connect(options, call) },
                Broker1.describe.answered { _, call in try await self.describe(to: call.sender) },
            ],
            properties: [
                Broker1.version.answered(get: { _ in ProductVersion.text }),
                Broker1.features.answered(get: { _ in BrokerConfiguration.features }),
                Broker1.limits.answered(get: { _ in limits }),
            ])
    }
}
