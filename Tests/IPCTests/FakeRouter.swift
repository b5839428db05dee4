import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

@testable import IPC

/// A fake broker on a bus that really delivers opened URLs to the program that registered the scheme.
@DBusActor
final class FakeRouter {
    let broker = FakeBroker()
    /// The handlers' answers to all deliveries, including those of queued requests.
    let answers = Collected<(url: String, outcome: String)>()
    private let connection: Connection

    init(_ address: BusAddress) async throws {
        connection = try await Connection.open(address, objects: broker.objects)
        broker.open = { [weak self] url, options in try await self?.route(url, options) ?? result("failed") }
        broker.register = { [weak self] in self?.conflicts() ?? RegisterResult() }
        _ = try await connection.requestName(Broker1.busName)
    }

    /// The last registration's conflicts: the claims of other applications that had already registered its schemes.
    private func conflicts() -> RegisterResult {
        var result = RegisterResult()
        guard let own = broker.registered.last else { return result }
        result.conflicts = own.schemes.compactMap { scheme in
            guard let first = owner(of: scheme), first != own.application else { return nil }
            var claim = ClaimFacts()
            (claim.scheme, claim.application, claim.kind, claim.handler) = (scheme, first, "live", true)
            return claim
        }
        return result
    }

    private func owner(of scheme: String) -> String? {
        broker.registered.first { $0.schemes.contains(scheme) }?.application
    }

    private func route(_ url: String, _ options: OpenURLOptions) async throws -> OpenURLResult {
        guard let application = owner(of: try URLText(url).scheme.spelling) else {
            throw IPCError(.noHandler, "nobody")
        }
        let id = options.id ?? RequestID.random().text
        guard options.queue == true else { return try await deliver(id, url, options, to: application) }
        Task { try await self.deliver(id, url, options, to: application) }
        return result("queued", id: id)
    }

    @discardableResult
    private func deliver(
        _ id: String, _ url: String, _ options: OpenURLOptions, to application: String
    ) async throws -> OpenURLResult {
        var context = OpenURLContext()
        (context.items, context.sourceApplication) = (options.items, options.sourceApplication)
        let path = try ObjectPath(try ApplicationID(application).objectPath)
        let (outcome, reply) = try await connection.call(
            URLHandler1.openURL, on: try BusName(application), at: path, (id, url, context))
        answers.add((url, outcome))
        var end = result(outcome, reply.items, id: id)
        (end.errorCode, end.errorMessage) = (reply.errorCode, reply.errorMessage)
        return end
    }

    /// Delivers a URL as if a sender had opened it, and returns the outcome.
    func open(_ url: String) async throws -> OpenURLResult { try await route(url, OpenURLOptions()) }
}
