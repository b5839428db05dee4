import IPCTesting

/// A minimal broker in Python and SQLite that owns the broker's bus name, for testing the harness itself. One mode is
/// correct; the others have faults that the harness must find.
enum ToyBroker: String {
    /// Answers after a synced commit.
    case synced
    /// Answers after a commit that is never flushed.
    case unsynced
    /// Answers before the commit, and makes one commit for every four changes.
    case early

    /// The settings with which ``BrokerProcess`` starts this program instead of `ipc-broker`.
    func settings(in bus: PrivateBus) throws -> BrokerProcess.Settings {
        let file = bus.directory.appending("toy-broker")
        try FileContents.write(Self.script, to: file, isProgram: true)
        var settings = BrokerProcess.Settings()
        settings.executable = file
        settings.arguments = [rawValue]
        return settings
    }

    /// Puts text on a board; returns the change count, or `nil` if there was no answer.
    static func set(_ board: String, _ text: String, on bus: PrivateBus) async throws -> UInt64? {
        let output = try await call(bus, "Set", "ss", board, text)
        guard output.status == .success, let count = output.output.split(separator: " ").last else { return nil }
        return UInt64(count.dropLast())
    }

    /// The change count and the text of a board.
    static func get(_ board: String, on bus: PrivateBus) async throws -> (count: UInt64, text: String) {
        let words = try await call(bus, "Get", "s", board).succeeded().output.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let count = UInt64(words[1]) else { throw HarnessError("The toy answered \(words).") }
        return (count, String(words[2].dropFirst().dropLast(2)))
    }

    private static func call(_ bus: PrivateBus, _ words: String...) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "busctl", ["--user", "--auto-start=no", "call", BrokerProcess.busName, "/toy", "demo.Toy1"] + words,
            environment: bus.environment)
    }

    private static let script = """
        #!/usr/bin/python3
        import os, sqlite3, sys
        import dbus, dbus.mainloop.glib, dbus.service
        from gi.repository import GLib

        directory, mode = sys.argv[2], sys.argv[3]
        os.makedirs(directory, exist_ok=True)
        store = sqlite3.connect(directory + "/toy.sqlite", isolation_level=None)
        store.execute("PRAGMA locking_mode = EXCLUSIVE")
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA synchronous = " + ("OFF" if mode == "unsynced" else "FULL"))
        store.execute("CREATE TABLE IF NOT EXISTS boards (name TEXT PRIMARY KEY, count INTEGER, text TEXT)")
        last = store.execute("SELECT ifnull(max(count), 0) FROM boards").fetchone()[0]
        waiting = []

        def commit(changes):
            store.execute("BEGIN")
            for change in changes:
                store.execute("INSERT OR REPLACE INTO boards VALUES (?, ?, ?)", change)
            store.execute("COMMIT")

        class Toy(dbus.service.Object):
            @dbus.service.method("demo.Toy1", in_signature="ss", out_signature="t")
            def Set(self, board, text):
                global last, waiting
                last += 1
                waiting.append((str(board), last, str(text)))
                if mode != "early" or len(waiting) == 4:
                    commit(waiting)
                    waiting = []
                return last

            @dbus.service.method("demo.Toy1", in_signature="s", out_signature="ts")
            def Get(self, board):
                row = store.execute("SELECT count, text FROM boards WHERE name = ?", (str(board),)).fetchone()
                return row or (0, "")

        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        toy = Toy(bus, "/toy")
        name = dbus.service.BusName("\(BrokerProcess.busName)", bus)
        print("ready", file=sys.stderr, flush=True)
        GLib.MainLoop().run()

        """
}
