/// The settings of the connection that the promises of the store depend on.
struct StoreSettings {
    /// False only for a control of the tests.
    let waitsForDisk: Bool

    /// In this order: the locking mode before the journal mode, so that the index of the log needs no shared memory. No
    /// read of the file may come before. `shown` is how SQLite shows the value.
    private var settings: [(name: String, value: String, shown: String)] {
        [
            ("main.locking_mode", "exclusive", "exclusive"),
            ("main.journal_mode", "wal", "wal"),
            // The store flushes after each commit itself (WriteAheadLog); SQLite flushes before each checkpoint.
            ("main.synchronous", waitsForDisk ? "NORMAL" : "OFF", waitsForDisk ? "1" : "0"),
            ("trusted_schema", "OFF", "0"),
            ("cell_size_check", "ON", "1"),
            ("foreign_keys", "OFF", "0"),
            ("temp_store", "MEMORY", "2"),
            // The store makes checkpoints itself, because SQLite hides the errors of its own.
            ("wal_autocheckpoint", "0", "0"),
            ("main.journal_size_limit", "67108864", "67108864"),
            ("main.cache_size", "-8192", "-8192"),
        ]
    }

    /// Applies the settings, attaches the database in memory, and reads each setting again.
    /// - Throws: `StoreError.setting` if SQLite has another value.
    func apply(to database: Database) throws {
        for setting in settings { try database.execute("PRAGMA \(setting.name) = \(setting.value)") }
        try database.execute("ATTACH DATABASE ':memory:' AS \(Area.volatile.schema)")
        for setting in settings {
            let value = try database.texts("PRAGMA \(setting.name)").first ?? ""
            guard value == setting.shown else {
                throw StoreError.setting(name: setting.name, value: value, wanted: setting.shown)
            }
        }
    }
}
