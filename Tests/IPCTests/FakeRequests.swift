import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

@testable import IPC

/// The fake broker's D-Bus methods for requests, claims and policies, with the answers that a test wants.
@DBusActor
final class FakeRequests {
    var facts: @DBusActor (String) throws -> RequestFacts = { _ in throw IPCError(.noSuchRequest, "nobody knows it") }
    var wait: @DBusActor (String, WaitRequestOptions) async throws -> OpenURLResult = { _, _ in OpenURLResult() }
    var retry: @DBusActor (String, RetryRequestOptions) throws -> String = { _, options in options.id ?? "" }
    var drop: @DBusActor (String) throws -> Void = { _ in }
    /// The requests that the broker lists, in the order in which they were accepted.
    var rows: [RequestFacts] = []
    var steps: [TraceFacts] = []
    let cancelled = Collected<String>()
    private(set) var listed: [ListRequestsOptions] = []
    private(set) var waited: [(id: String, options: WaitRequestOptions)] = []

    var claims: [HandlerRow] = []
    var beforeListing: @DBusActor () async -> Void = {}
    private(set) var unregistered: [(application: String, schemes: [String])] = []
    var policies: [String: PolicyOptions] = [:]

    static let schemes = [
        Schemes1.unregister.description, Schemes1.listHandlers.description, Schemes1.getPolicy.description,
        Schemes1.setPolicy.description,
    ]

    var schemeMethods: [ExportedMethod] {
        [
            Schemes1.unregister.answered { input, _ throws in self.unregistered.append((input.0, input.1)) },
            Schemes1.listHandlers.answered { input, _ async throws in
                await self.beforeListing()
                return self.claims.filter { $0.name == input.0 }
            },
            Schemes1.getPolicy.answered { input, _ throws in self.policy(of: input.0) },
            Schemes1.setPolicy.answered { input, _ throws in self.policies[input.0] = input.1 },
        ]
    }

    private func policy(of application: String) -> PolicyFacts {
        var facts = PolicyFacts()
        let policy = policies[application]
        (facts.others, facts.allow, facts.deny) = (policy?.others ?? "allow", policy?.allow ?? [], policy?.deny ?? [])
        return facts
    }

    var requestMethods: [ExportedMethod] {
        [
            URLs1.getRequest.answered { input, _ throws in try self.facts(input.0) },
            URLs1.waitRequest.answered { input, _ async throws in
                self.waited.append((input.0, input.1))
                return try await self.wait(input.0, input.1)
            },
            URLs1.cancelRequest.answered { input, _ throws in self.cancelled.add(input.0) },
            URLs1.retryRequest.answered { input, _ throws in try self.retry(input.0, input.1) },
            URLs1.dropRequest.answered { input, _ throws in try self.drop(input.0) },
            URLs1.listRequests.answered { options, _ throws in self.page(options) },
            URLs1.traceRequest.answered { _, _ throws in self.steps },
        ]
    }

    /// Answers a list of requests with pages of two rows.
    private func page(_ options: ListRequestsOptions) -> [RequestFacts] {
        listed.append(options)
        let start = rows.firstIndex { $0.id == options.after }.map { $0 + 1 } ?? 0
        let rest = rows[start...].filter { options.state == nil || $0.state == options.state }
        return Array(rest.prefix(2))
    }
}

/// Makes the result of a request, as the broker returns it.
func result(_ outcome: String, _ items: [PasteboardItem]? = nil, id: String = "0123456789abcdef") -> OpenURLResult {
    var result = OpenURLResult()
    (result.id, result.outcome, result.application, result.items) = (id, outcome, "demo.IPCServer", items)
    return result
}
