package import IPCModel

extension StoreTransaction {
    /// Who may open the URLs of which application, and how many rows are damaged. An application whose row is damaged and
    /// still names it admits nobody: what cannot be read allows nothing (I19).
    package func policies() throws -> (policies: [ApplicationID: AccessPolicy], damaged: Int) {
        var policies: [ApplicationID: AccessPolicy] = [:]
        var damaged = 0
        try session.transaction.statement("SELECT * FROM @.policy", .persistent).query { row in
            let policy = AccessPolicy(row)
            if policy == nil { damaged += 1 }
            guard let application = try? ApplicationID(row.text(1)) else { return }
            policies[application] = policy ?? AccessPolicy(allowsOthers: false)
        }
        return (policies, damaged)
    }

    /// Stores who may open the URLs of an application; an open policy is forgotten.
    package func setPolicy(_ policy: AccessPolicy, of application: ApplicationID) throws {
        guard !policy.isOpen else {
            return try session.transaction.write(
                "DELETE FROM @.policy WHERE application = ?", .persistent, [.text(application.text)])
        }
        let sequence = try session.nextSequence("SELECT max(sequence) FROM @.policy")
        try session.transaction.insert(
            "INSERT OR REPLACE INTO @.policy VALUES (?, ?, ?, ?, ?, ?)", .persistent,
            [
                .integer(sequence), .text(application.text), .integer(policy.allowsOthers ? 1 : 0),
                .bytes(Self.packed(policy.allowed)), .bytes(Self.packed(policy.refused)),
            ], in: .policy)
    }

    private static func packed(_ applications: Set<String>) -> [UInt8] {
        applications.sorted().reduce(into: []) { $0.append(field: $1) }
    }
}

extension AccessPolicy {
    /// Reads a row of `SELECT *`; nil where it is damaged.
    fileprivate init?(_ row: SQLRow) {
        guard row.isIntact(.policy, checksum: 5), let allowed = Self.applications(row.bytes(3)),
            let refused = Self.applications(row.bytes(4))
        else { return nil }
        self.init(allowsOthers: row.integer(2) != 0, allowed: allowed, refused: refused)
    }

    private static func applications(_ packed: [UInt8]) -> Set<String>? {
        var fields = PackedFields(packed)
        var applications: Set<String> = []
        while !fields.isAtEnd {
            guard let application = fields.text() else { return nil }
            applications.insert(application)
        }
        return applications
    }
}
