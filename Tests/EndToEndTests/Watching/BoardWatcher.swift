import IPC
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// A client that follows the state of boards across lost connections and broker restarts.
protocol BoardWatcher: Sendable {
    /// The last change count that the watcher received for each board.
    var seen: Observed<[String: UInt64]> { get }
    /// Watches until its task is cancelled.
    func watch() async throws
    /// Closes the watcher's connection; the watcher then opens another one and continues.
    func disconnect() async throws
}

/// A watcher that calls the broker without the library, over connections that come and go.
@DBusActor
final class WireWatcher: BoardWatcher {
    nonisolated let seen = Observed<[String: UInt64]>([:])
    private let bus: PrivateBus
    /// An empty list means all boards.
    private let names: [String]
    private let goesOn: Bool
    private var cursor: UInt64 = 0
    private var client: BrokerClient

    /// - Parameter goesOn: whether it asks for changes that it missed while disconnected; a faulty watcher does not.
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
                // The broker or the connection is gone. Once the broker's name has an owner again, the watcher
                // reconnects.
                if Task.isCancelled { return }
                try await bus.waitForOwner(of: BrokerProcess.busName)
                client = try await BrokerClient(bus)
                if !goesOn { cursor = 0 }
            }
        }
    }

    /// Makes one call, and records the answer.
    func ask(milliseconds: UInt32) async throws(CallError) {
        var options = WaitOptions()
        options.timeout = milliseconds
        let (count, changed, _) = try await client.call(Pasteboards1.waitForChange, (names, cursor, options))
        cursor = count
        seen.update { seen in
            for change in changed { seen[change.name] = change.changeCount }
        }
    }

    /// Disconnects; until ``comeBack()``, the watcher misses all changes.
    func leave() { client.connection.close() }

    /// Reconnects, and asks once for past changes.
    func comeBack() async throws {
        client = try await BrokerClient(bus)
        if !goesOn {
            // A faulty watcher starts from the current state, and so skips the changes that it missed.
            var options = WaitOptions()
            options.timeout = 0
            cursor = try await client.call(Pasteboards1.waitForChange, (names, 0, options)).0
        }
        try await ask(milliseconds: 0)
    }

    func disconnect() async throws { client.connection.close() }
}

/// A program that uses the library.
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
                guard !Task.isCancelled, error.code.meansNoAnswer else { throw error }
            }
            if Task.isCancelled { return }
            application = try await .connect(id: "org.example.Watcher", bus: .address(bus.address))
        }
    }

    func disconnect() async throws { await application.close() }
}
