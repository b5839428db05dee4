import IPC
import IPCDBus

/// Many clients that wait for one event, each on its own connection.
@DBusActor
enum Watchers {
    /// `watch watchers=100 rounds=20 target=org.swiftipc.Broker1 [persistent=yes]`: measures the time from a change
    /// until the last watcher sees it. A target other than the broker must be the program `Floor/watch.c`, which
    /// answers all waiting calls when its method `Fire` is called.
    static func run(_ settings: Settings) async throws {
        let target = try BusName(settings.text("target", "org.swiftipc.Broker1"))
        let isBroker = target.text == "org.swiftipc.Broker1"
        var connections: [Connection] = []
        for _ in 0..<(try settings.number("watchers", 1)) { connections.append(try await .open(.session)) }
        let app = try await Application.connect(id: "org.example.Writer")
        let board =
            isBroker
            ? try await app.pasteboard(named: "watched", create: true, persistent: settings.flag("persistent")) : nil
        // After some calls, the library switches to a direct connection to the broker (`Route`).
        for _ in 0..<20 { _ = try await board?.setItems([.string("warm")]) }
        let trigger = try await Connection.open(.session)
        var cursor = UInt64(0)
        var times: [Duration] = []
        for round in 0...(try settings.number("rounds", 20)) {
            if let board { cursor = try await board.setItems([.string("before")]) }
            let questions = connections.map { connection in
                DBusActor.task { [cursor] in
                    let answer = try await connection.call(
                        waitForChange, on: target, at: "/org/swiftipc/Broker1",
                        (["watched"], cursor, ["timeout": .uint32(20_000)]), timeout: .seconds(30))
                    return (answer.0, ContinuousClock.now)
                }
            }
            // Send a ping after the waiting call on each connection. Once all pings are answered, all calls are
            // waiting.
            await Task.yield()
            for connection in connections {
                _ = try await connection.call(ping, on: target, at: "/org/swiftipc/Broker1", ())
            }
            let start = ContinuousClock.now
            if let board {
                try await board.setItems([.string("after")])
            } else {
                try await trigger.call(fire, on: target, at: "/org/swiftipc/Broker1", ())
            }
            var last = start
            for question in questions { last = max(last, try await question.value.1) }
            if round > 0 { times.append(last - start) }
        }
        Figures(times, took: times.reduce(.zero, +)).print()
    }

    private static let waitForChange = Method<
        ([String], UInt64, [String: Value]), (UInt64, [ChangeRow], [String: Value])
    >(
        "org.swiftipc.Pasteboards1", "WaitForChange",
        takes: .of(Argument("names"), Argument("seen"), Argument("options")),
        returns: .of(Argument("change_count"), Argument("changed"), Argument("facts")))
    private static let ping = Method<Void, Void>("org.freedesktop.DBus.Peer", "Ping", takes: .none, returns: .none)
    private static let fire = Method<Void, Void>("floor.Watch", "Fire", takes: .none, returns: .none)
}

/// A row of the reply to `WaitForChange`: a pasteboard and its change count.
private struct ChangeRow: DBusCodable {
    let name: String
    let changeCount: UInt64
    static var dbusSignature: Signature { "(st)" }

    init(from reader: inout MessageReader) throws(MessageError) {
        (name, changeCount) = try reader.structure { (fields) throws(MessageError) in
            (try String(from: &fields), try UInt64(from: &fields))
        }
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.structure { (fields) throws(MessageError) in
            try name.write(to: &fields)
            try changeCount.write(to: &fields)
        }
    }
}
