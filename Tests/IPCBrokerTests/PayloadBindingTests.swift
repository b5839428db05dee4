import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker
@testable import IPCStore

@Suite struct PayloadBindingTests {
    /// - Parameter boundBefore: the change count that the same request had written before the broker was killed; `nil`
    ///   if the request is new.
    private static func isSecret(sensitive: Bool, pasteboard: String?, boundBefore: UInt64?) async throws -> Bool {
        let folder = try TemporaryDirectory()
        let store = try Store.open(StoreConfiguration(directory: folder.path))
        var options = OpenURLOptions()
        let type = try ContentType("text/plain")
        options.items = [try PasteboardItem([Representation(type: type, value: .text("hello"))])]
        options.pasteboard = pasteboard
        if pasteboard != nil {
            var set = PayloadSetOptions()
            set.sensitive = sensitive
            set.persistent = false
            options.set = set
        }
        let request = try ValidatedRequest(url: "demo:", options: options, limits: Limits())
        let outgoing = OutgoingValues(Limits(), takesDescriptors: false)
        let payload = try await store.commit {
            try $0.bind(request, request.items, nil, boundBefore: boundBefore, source: .nobody, outgoing)
        }
        try await store.close()
        return payload.isSecret
    }

    @Test(arguments: [nil, 7] as [UInt64?])
    func `I14: no record keeps a sensitive payload, even if the request is repeated after a crash`(
        _ boundBefore: UInt64?
    ) async throws {
        #expect(try await Self.isSecret(sensitive: true, pasteboard: "secret", boundBefore: boundBefore))
        #expect(try await !Self.isSecret(sensitive: false, pasteboard: "open", boundBefore: boundBefore))
    }
}
