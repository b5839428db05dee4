internal import IPCModel

/// The use of the sources as it stands on the disk: written with each commit, and read at the start.
extension StoreSession {
    /// Writes the rows of the sources whose use has changed since the last commit.
    func writeUsage() throws {
        for source in usage.unstored {
            let use = usage[source, .persistent]
            if use.isNothing {
                try transaction.statement("DELETE FROM @.usage WHERE source = ?", .persistent).run([.text(source)])
            } else {
                let columns: [SQLValue] = [
                    .text(source), .number(use.pasteboards), .number(use.items), .number(use.bytes),
                ]
                try transaction.statement("INSERT OR REPLACE INTO @.usage VALUES (?, ?, ?, ?, ?)", .persistent)
                    .run(columns + [Checksum.of(columns, in: .usage)])
            }
        }
    }

    /// Reads the rows; sums them up anew where one is damaged, where they do not fit the number of pasteboards, and
    /// after a crash or a salvage where they do not fit the sums of the versions.
    func loadUsage(afterCleanStop wasClean: Bool) throws {
        var isIntact = true
        try transaction.statement("SELECT * FROM @.usage", .persistent).query { row in
            guard row.isIntact(.usage, checksum: 4) else {
                isIntact = false
                return
            }
            usage.set(
                Usage(pasteboards: row.number(1), items: row.number(2), bytes: row.number(3)), of: row.text(0),
                .persistent)
        }
        usage.committed()
        guard try !isIntact || !usageFits(afterCleanStop: wasClean) else { return }
        try sumUsage()
    }

    private func usageFits(afterCleanStop wasClean: Bool) throws -> Bool {
        let total = usage.total(.persistent)
        let boards = try transaction.statement("SELECT count(*) FROM @.pasteboard", .persistent).first { $0.number(0) }
        guard total.pasteboards == boards else { return false }
        if wasClean { return true }
        // After a crash the whole file was read anyway, to check it.
        return try transaction.statement("SELECT total(items), total(bytes) FROM @.version", .persistent).first { row in
            total.items == row.number(0) && total.bytes == row.number(1)
        } ?? false
    }

    private func sumUsage() throws {
        usage.removePersistent()
        try transaction.statement("SELECT * FROM @.pasteboard", .persistent).query { row in
            // A damaged one counts as well, for nobody, so that the number fits.
            add(Usage(pasteboards: 1), Board(row, .persistent)?.source ?? "")
        }
        try transaction.statement("SELECT * FROM @.version", .persistent).query { row in
            guard let version = VersionRow(row) else { return }
            add(version.usage, version.source.application)
        }
        try transaction.prepareToWrite()
        try transaction.statement("DELETE FROM @.usage", .persistent).run()
    }

    private func add(_ added: Usage, _ source: String) {
        var use = usage[source, .persistent]
        use.add(added)
        usage.set(use, of: source, .persistent)
    }
}
