import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

@testable import IPC

/// A fake broker on a bus or a peer-to-peer connection: it gives the answers that a test wants, and records the calls.
@DBusActor
final class FakeBroker {
    typealias Read = (UInt64, [PasteboardItem], VersionFacts)
    typealias Versions = [(changeCount: UInt64, types: [[String]])]

    let objects = ObjectServer()
    private(set) var registered: [(application: String, schemes: [String], options: RegisterOptions)] = []
    private(set) var opened: [(url: String, options: OpenURLOptions)] = []
    private(set) var written: [(items: [PasteboardItem], options: WriteOptions)] = []
    private(set) var waited: [(names: [String], since: UInt64, options: WaitOptions)] = []

    var open: @DBusActor (String, OpenURLOptions) async throws -> OpenURLResult = { _, options in
        var result = OpenURLResult()
        (result.id, result.outcome) = (options.id ?? "0123456789abcdef", "handled")
        return result
    }
    /// How often a direct connection was requested.
    private(set) var connects = 0
    var canOpen: @DBusActor (String) -> Bool = { $0.hasPrefix("known:") }
    /// The URLs passed to `CanOpenURL`.
    let asked = Collected<String>()
    /// The handler that `ResolveURL` returns.
    var handler = ""
    var register: @DBusActor () throws -> RegisterResult = { RegisterResult() }
    var read: @DBusActor (GetItemsOptions) async throws -> Read = { _ in (0, [], VersionFacts()) }
    var data: (Representation.Value, VersionFacts) = (.text(""), VersionFacts())
    private(set) var dataAsked: [(item: UInt32, type: String, options: GetDataOptions)] = []
    /// The versions that the board holds, the current one last.
    var versions: @DBusActor () -> Versions = { [(1, [["text/plain;charset=utf-8"], ["image/png"]])] }
    var changeCount: @DBusActor () throws -> UInt64 = { 1 }
    var fetch: @DBusActor () async throws -> UInt32 = { 0 }
    var write: @DBusActor () async throws -> UInt64 = { 1 }
    var change: @DBusActor (UInt64) async throws -> (UInt64, [ChangedPasteboard], ChangeFacts) = { since in
        (since, [], ChangeFacts())
    }
    /// The fake broker's D-Bus methods for requests, claims and policies.
    let requests = FakeRequests()
    var boards: [String] = []
    var describe: @DBusActor () async throws -> String = { "{}" }

    init() {
        objects.invalidArguments = IPCError.Code.invalidArguments.errorName
        objects.translate = { ($0 as? any Condition)?.errorReply }
        objects.export([broker(), schemes(), urls(), pasteboards()], at: Broker1.path)
        let board = pasteboard()
        objects.export(
            Subtree(interfaces: [board], children: { _ in [] }, contains: { _, _ in true }), below: Pasteboards1.root)
    }

    func forgetWrites() { written = [] }

    private func broker() -> ExportedInterface {
        ExportedInterface(
            InterfaceDescription(Broker1.name, "", [Broker1.describe.description, Broker1.connect.description]),
            methods: [
                Broker1.describe.answered { _, _ async throws in try await self.describe() },
                Broker1.connect.answered { _, _ throws in
                    self.connects += 1
                    throw IPCError(.storeUnavailable, "stay on the bus")
                },
            ])
    }

    private func schemes() -> ExportedInterface {
        ExportedInterface(
            InterfaceDescription(
                Schemes1.name, "",
                [
                    Schemes1.register.description, Schemes1.canOpenURL.description, Schemes1.resolveURL.description,
                    Schemes1.handlerChanged.description,
                ] + FakeRequests.schemes),
            methods: [
                Schemes1.register.answered { input, _ throws in
                    self.registered.append((input.0, input.1, input.2))
                    return try self.register()
                },
                Schemes1.canOpenURL.answered { input, _ throws in
                    self.asked.add(input.0)
                    return self.canOpen(input.0)
                },
                Schemes1.resolveURL.answered { _, _ throws in
                    var facts = ResolutionFacts()
                    (facts.application, facts.reason) = (self.handler, "live")
                    return facts
                },
            ] + requests.schemeMethods)
    }

    private func urls() -> ExportedInterface {
        ExportedInterface(
            URLs1.description,
            methods: [
                URLs1.openURL.answered { input, _ async throws in
                    self.opened.append((input.0, input.1))
                    return try await self.open(input.0, input.1)
                }
            ] + requests.requestMethods)
    }

    private func pasteboards() -> ExportedInterface {
        ExportedInterface(
            InterfaceDescription(
                Pasteboards1.name, "",
                [
                    Pasteboards1.listPasteboards.description, Pasteboards1.waitForChange.description,
                    Pasteboards1.fetchPromises.description,
                ]),
            methods: [
                Pasteboards1.listPasteboards.answered { options, _ throws in self.page(options) },
                Pasteboards1.waitForChange.answered { input, _ async throws in
                    self.waited.append((input.0, input.1, input.2))
                    return try await self.change(input.1)
                },
                Pasteboards1.fetchPromises.answered { _, _ async throws in try await self.fetch() },
            ])
    }

    private func page(_ options: ListPasteboardsOptions) -> [PasteboardRow] {
        let rest = boards.sorted().filter { $0 > options.after ?? "" && $0.hasPrefix(options.prefix ?? "") }
        return rest.prefix(2).map { PasteboardRow(name: $0, changeCount: 7, facts: PasteboardFacts()) }
    }

    private func pasteboard() -> ExportedInterface {
        ExportedInterface(
            InterfaceDescription(
                Pasteboard1.name, "",
                [
                    Pasteboard1.setItems.description, Pasteboard1.getItems.description,
                    Pasteboard1.getData.description, Pasteboard1.listVersions.description,
                    Pasteboard1.addItems.description, Pasteboard1.types.description, Pasteboard1.itemCount.description,
                    Pasteboard1.changeCount.description,
                ]),
            methods: [
                Pasteboard1.setItems.answered { input, _ async throws in
                    self.written.append((input.0, input.1))
                    return try await self.write()
                },
                Pasteboard1.addItems.answered { input, _ async throws in
                    self.written.append((input.0, input.1))
                    return try await self.write()
                },
                Pasteboard1.getItems.answered { options, _ async throws in
                    let (count, items, facts) = try await self.read(options)
                    return (count, items.map(ReadItem.init), facts)
                },
                Pasteboard1.getData.answered { input, _ throws in
                    self.dataAsked.append((input.0, input.1, input.2))
                    return self.data
                },
                Pasteboard1.listVersions.answered { _, _ throws in self.versions().map(Self.facts) },
            ],
            properties: [
                Pasteboard1.types.answered(get: { _ in self.versions().last?.types ?? [] }),
                Pasteboard1.changeCount.answered(get: { _ in try self.changeCount() }),
                Pasteboard1.itemCount.answered(get: { _ in UInt32(self.versions().last?.types.count ?? 0) }),
            ])
    }

    private static func facts(_ version: (changeCount: UInt64, types: [[String]])) -> VersionFacts {
        var facts = VersionFacts()
        (facts.changeCount, facts.types) = (version.changeCount, version.types)
        return facts
    }

    /// Makes the board hold one version with these items. Reads are answered according to the contract: with only the
    /// requested types, each item at its own index, and a digest for each value.
    func hold(_ items: [PasteboardItem], changeCount: UInt64 = 1) {
        versions = { [(changeCount, items.map { $0.types.map(\.text) })] }
        read = { options in
            guard options.changeCount ?? changeCount == changeCount else { throw IPCError(.noSuchItem, "not held") }
            let wanted = try options.types.map { try $0.map { try ContentType($0) } }
            let read = try items.map { item in
                try PasteboardItem(read: item.representations.filter { wanted?.contains($0.type) ?? true })
            }
            var facts = VersionFacts()
            facts.digests = try read.map { try $0.representations.map { try Digest.of($0.value) } }
            return (changeCount, read, facts)
        }
    }
}

extension FakeBroker {
    /// Starts to play the broker on a bus, under the broker's name.
    func serve(on address: BusAddress) async throws -> Connection {
        let connection = try await Connection.open(address, reconnects: true, objects: objects)
        // Wait in the queue for the name: the bus may not have noticed yet that the previous broker is gone.
        _ = try await connection.requestName(Broker1.busName, flags: [])
        return connection
    }
}

/// An application and a fake broker at the two ends of one connection, without a bus.
@DBusActor
struct Pair {
    let broker = FakeBroker()
    let application: Application
    private let listener: PeerListener
    private let accepted: Collected<Connection>

    init(id: String = "demo.IPCServer", resends: Bool = true) async throws {
        let accepted = Collected<Connection>()
        listener = try PeerListener("unix:tmpdir=/tmp", objects: broker.objects) { accepted.add($0) }
        self.accepted = accepted
        let connection = try await Connection.openPeer(listener.address)
        application = Application(
            id: try ApplicationID(id), link: BrokerLink(connection, broker: nil, resends: resends))
    }

    /// Delivers a request to the application, as the broker would.
    func deliver(_ id: String, _ url: String, _ context: OpenURLContext = OpenURLContext()) async throws -> (
        String, HandlerReply
    ) {
        // Use an existing connection without `await`, so that a task that starts immediately sends the call at once.
        let connection =
            if let known = accepted.elements.first { known } else { try await accepted.wait(for: 1)[0] }
        return try await connection.call(URLHandler1.openURL, on: nil, at: "/demo/IPCServer", (id, url, context))
    }

    /// Asks the application for promised content, as the broker would.
    func ask(
        _ path: ObjectPath, _ changeCount: UInt64, _ item: UInt32, _ type: String,
        _ options: PromisedDataOptions = PromisedDataOptions()
    ) async throws -> Representation.Value {
        let connection = try await accepted.wait(for: 1)[0]
        return try await connection.call(
            PasteboardWriter1.getPromisedData, on: nil, at: path, ("general", changeCount, item, type, options))
    }

    /// Sends the signal that a request has ended, as the broker would.
    func complete(_ id: String, _ outcome: String) async throws {
        let connection = try await accepted.wait(for: 1)[0]
        try connection.emit(URLs1.requestCompleted, from: Broker1.path, (id, outcome))
    }

    func cancel(_ id: String) async throws {
        let connection = try await accepted.wait(for: 1)[0]
        try connection.notify(URLHandler1.cancelURL, on: nil, at: "/demo/IPCServer", id)
    }
}
