import IPC
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// Somebody who wants to know what boards are at, over lost connections and restarts.
protocol BoardWatcher: Sendable {
    /// The last change count of each board that it was told.
    var seen: Observed<[String: UInt64]> { get }
    /// Watches until it is cancelled.
    func watch() async throws
    /// Ends its connection; it makes another one and goes on.
    func disconnect() async throws
}

/// One that speaks the contract, over connections that come and go.
@DBusActor
final class WireWatcher: BoardWatcher {
    nonisolated let seen = Observed<[String: UInt64]>([:])
    private let bus: PrivateBus
    /// None: all.
    private let names: [String]
    private let goesOn: Bool
    private var cursor: UInt64 = 0
    private var client: BrokerClient

    /// - Parameter goesOn: whether it asks for what it missed while it was away; one that does not is wrong.
    init(_ names: [String], goesOn: Bool = true) async throws {
        bus = try PrivateBus.current
        (self.names, self.goesOn) = (names, goesOn)
        client = try await BrokerClient(bus)
    }

    func watch() async throws {
        while !Task.isCancelled {
            do throws(CallError) {
                try await ask(milliseconds: 20_000)
            } catch {
                // The broker is away, or the connection: the bus tells when the name is back.
                if Task.isCancelled { return }
                try await bus.waitForOwner(of: BrokerProcess.busName)
                client = try await BrokerClient(bus)
                if !goesOn { cursor = 0 }
            }
        }
    }

    /// One question, and what it was answered.
    func ask(milliseconds: UInt32) async throws(CallError) {
        var options = WaitOptions()
        options.timeout = milliseconds
        let (count, changed, _) = try await client.call(Pasteboards1.waitForChange, (names, cursor, options))
        cursor = count
        seen.update { seen in
            for change in changed { seen[change.name] = change.changeCount }
        }
    }

    /// Leaves; while it is away it does not know what happens.
    func leave() { client.connection.close() }

    /// Comes back, and asks once for what is past.
    func comeBack() async throws {
        client = try await BrokerClient(bus)
        if !goesOn {
            // From what is now on, as if nothing had been.
            var options = WaitOptions()
            options.timeout = 0
            cursor = try await client.call(Pasteboards1.waitForChange, (names, 0, options)).0
        }
        try await ask(milliseconds: 0)
    }

    func disconnect() async throws { client.connection.close() }
}

/// A program with the library.
@DBusActor
final class LibraryWatcher: BoardWatcher {
    nonisolated let seen = Observed<[String: UInt64]>([:])
    private let names: [PasteboardName]
    private let bus: PrivateBus
    private var cursor: UInt64 = 0
    private var application: Application

    init(_ names: [String]) async throws {
        self.names = try names.map(PasteboardName.init(_:))
        bus = try PrivateBus.current
        application = try await .connect(id: "org.example.Watcher", bus: .address(bus.address))
    }

    func watch() async throws {
        while !Task.isCancelled {
            do throws(IPCError) {
                for try await change in application.changes(of: names, since: cursor) {
                    cursor = max(cursor, change.cursor)
                    seen.update { $0[change.name.text] = change.changeCount }
                }
            } catch {
                guard !Task.isCancelled, [.storeUnavailable, .timedOut].contains(error.code) else { throw error }
            }
            if Task.isCancelled { return }
            application = try await .connect(id: "org.example.Watcher", bus: .address(bus.address))
        }
    }

    func disconnect() async throws { await application.close() }
}
