/// The connection settings that the store's guarantees depend on.
struct StoreSettings {
    /// Whether commits wait for the disk; false only in tests of `synchronous-off`.
    let waitsForDisk: Bool

    /// The settings, in the order to apply them: the locking mode before the journal mode, and before anything reads
    /// the file, so that the log's index needs no shared memory. `shown` is the value as SQLite reports it.
    private var settings: [(name: String, value: String, shown: String)] {
        [
            ("main.locking_mode", "exclusive", "exclusive"),
            ("main.journal_mode", "wal", "wal"),
            // The store itself flushes after each commit (WriteAheadLog); SQLite flushes before each checkpoint.
            ("main.synchronous", waitsForDisk ? "NORMAL" : "OFF", waitsForDisk ? "1" : "0"),
            // FAST writes no deleted page. The default of Debian's SQLite writes zeros over each of them, so a deletion
            // would take as long as a write, and nothing would bound the deletions in the store's queue (I15).
            ("secure_delete", "FAST", "2"),
            ("trusted_schema", "OFF", "0"),
            ("cell_size_check", "ON", "1"),
            ("foreign_keys", "OFF", "0"),
            ("temp_store", "MEMORY", "2"),
            // The store runs checkpoints itself, because SQLite hides the errors of automatic ones.
            ("wal_autocheckpoint", "0", "0"),
            ("main.journal_size_limit", "67108864", "67108864"),
            ("main.cache_size", "-8192", "-8192"),
        ]
    }

    /// Applies the settings, attaches the in-memory database, and reads each setting back.
    /// - Throws: `StoreError.setting` if SQLite reports a different value.
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
