/// The settings of the connection that the promises of the store rest on, and their proof.
struct StoreSettings {
    /// False only for a control of the tests.
    let waitsForDisk: Bool

    private struct Setting {
        let name: String
        /// How the setting is written.
        let value: String
        /// How SQLite shows it.
        let shown: String

        init(_ name: String, _ value: String, shown: String? = nil) {
            (self.name, self.value, self.shown) = (name, value, shown ?? value)
        }
    }

    /// In this order: the locking mode before the journal mode, so that no shared memory is used for the log's index;
    /// nothing may read from the file before.
    private var settings: [Setting] {
        [
            Setting("main.locking_mode", "exclusive"),
            Setting("main.journal_mode", "wal"),
            // The store waits for the disk after each commit itself (WriteAheadLog); SQLite does before each checkpoint.
            Setting("main.synchronous", waitsForDisk ? "NORMAL" : "OFF", shown: waitsForDisk ? "1" : "0"),
            Setting("trusted_schema", "OFF", shown: "0"),
            Setting("cell_size_check", "ON", shown: "1"),
            Setting("foreign_keys", "OFF", shown: "0"),
            Setting("temp_store", "MEMORY", shown: "2"),
            // The store does this itself, because SQLite hides the errors of its own.
            Setting("wal_autocheckpoint", "0"),
            Setting("main.journal_size_limit", "67108864"),
            Setting("main.cache_size", "-8192"),
        ]
    }

    /// Makes the settings, reads each of them back, and attaches the database in memory; `StoreError.setting` where
    /// one does not hold.
    func apply(to database: Database) throws {
        for setting in settings {
            try database.execute("PRAGMA \(setting.name) = \(setting.value)")
        }
        try database.execute("ATTACH DATABASE ':memory:' AS \(Area.volatile.schema)")
        for setting in settings {
            let value = try database.texts("PRAGMA \(setting.name)").first ?? ""
            guard value == setting.shown else {
                throw StoreError.setting(name: setting.name, value: value, wanted: setting.shown)
            }
        }
    }
}
