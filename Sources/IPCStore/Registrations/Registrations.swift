package import IPCModel

/// A claim on a URL scheme, stored so that it outlives the process that made it.
package struct StoredClaim: Sendable, Hashable {
    package let application: ApplicationID
    package let scheme: URLScheme
    /// How many requests may be in flight to the application at once.
    package let window: UInt32
    /// Whether deliveries to the application may carry file descriptors.
    package let takesDescriptors: Bool
    /// When the claim was made, in milliseconds since 1970. ``Registrations/claims()`` does not sort by this time.
    package fileprivate(set) var time: UInt64

    package init(
        application: ApplicationID, scheme: URLScheme, window: UInt32 = 1, takesDescriptors: Bool = false,
        time: UInt64
    ) {
        (self.application, self.scheme, self.window) = (application, scheme, window)
        (self.takesDescriptors, self.time) = (takesDescriptors, time)
    }

    func columns(_ sequence: Int64) -> [SQLValue] {
        [
            .integer(sequence), .text(application.text), .text(scheme.spelling), .number(UInt64(max(1, window))),
            .number(takesDescriptors ? 1 : 0), .number(time),
        ]
    }

    init?(_ row: SQLRow) {
        guard row.isIntact(.schemeClaim, checksum: 6), let application = try? ApplicationID(row.text(1)),
            let scheme = try? URLScheme(row.text(2))
        else { return nil }
        self.init(
            application: application, scheme: scheme, window: UInt32(truncatingIfNeeded: row.integer(3)),
            takesDescriptors: row.integer(4) & 1 != 0, time: row.number(5))
    }
}

package struct StoredDefault: Sendable, Hashable {
    package let scheme: URLScheme
    package let application: ApplicationID
}

/// The claims of a running handler, stored so that the handler need not repeat them after a restart of the broker.
package struct LiveClaims: Sendable, Hashable {
    package let application: ApplicationID
    /// The connection that owns the application's bus name: the connection's unique name, `@`, and the id of the bus.
    package let owner: String
    /// The schemes that the handler has claimed, oldest first.
    package let schemes: [URLScheme]
    package let window: UInt32
    package let takesDescriptors: Bool

    package init(
        application: ApplicationID, owner: String, schemes: [URLScheme], window: UInt32, takesDescriptors: Bool
    ) {
        (self.application, self.owner, self.schemes) = (application, owner, schemes)
        (self.window, self.takesDescriptors) = (window, takesDescriptors)
    }

    init?(_ row: SQLRow) {
        guard row.isIntact(.liveClaim, checksum: 6), let application = try? ApplicationID(row.text(1)) else {
            return nil
        }
        var fields = PackedFields(row.bytes(3))
        var schemes: [URLScheme] = []
        while !fields.isAtEnd {
            guard let scheme = try? URLScheme(fields.text() ?? "") else { return nil }
            schemes.append(scheme)
        }
        self.init(
            application: application, owner: row.text(2), schemes: schemes,
            window: UInt32(truncatingIfNeeded: row.integer(4)), takesDescriptors: row.integer(5) & 1 != 0)
    }
}

/// The tables of scheme claims, claims of running handlers, default handlers chosen by the user, and access policies.
package final class Registrations {
    private let transaction: GroupTransaction

    init(_ transaction: GroupTransaction) { self.transaction = transaction }

    /// The intact rows of a query, and the number of damaged rows.
    private func rows<Row>(_ sql: StaticString, _ read: (SQLRow) -> Row?) throws -> (rows: [Row], damaged: Int) {
        var (rows, damaged): ([Row], Int) = ([], 0)
        try transaction.statement(sql, .persistent).query { row in
            if let row = read(row) { rows.append(row) } else { damaged += 1 }
        }
        return (rows, damaged)
    }

    /// The claims, oldest first, and the number of damaged rows.
    package func claims() throws -> (claims: [StoredClaim], damaged: Int) {
        let (claims, damaged) = try rows("SELECT * FROM @.scheme_claim ORDER BY sequence", StoredClaim.init)
        return (claims, damaged)
    }

    /// Stores a claim. If the application already claims the scheme, updates that claim, but keeps its age.
    package func saveClaim(_ claim: StoredClaim) throws {
        let find = try transaction.statement(
            "SELECT sequence, time FROM @.scheme_claim WHERE application = ? AND scheme = ?", .persistent)
        let known = try find.first([.text(claim.application.text), .text(claim.scheme.spelling)]) {
            (sequence: $0.integer(0), time: $0.number(1))
        }
        let sequence = try known?.sequence ?? nextSequence("SELECT max(sequence) FROM @.scheme_claim")
        var claim = claim
        if let known { claim.time = known.time }
        try transaction.insert(
            "INSERT OR REPLACE INTO @.scheme_claim VALUES (?, ?, ?, ?, ?, ?, ?)", .persistent,
            claim.columns(sequence), in: .schemeClaim)
    }

    package func removeClaim(of application: ApplicationID, on scheme: URLScheme) throws {
        try transaction.write(
            "DELETE FROM @.scheme_claim WHERE application = ? AND scheme = ?", .persistent,
            [.text(application.text), .text(scheme.spelling)])
    }

    /// The default handlers that the user chose, and the number of damaged rows.
    package func defaults() throws -> (defaults: [StoredDefault], damaged: Int) {
        let (defaults, damaged) = try rows("SELECT * FROM @.scheme_default ORDER BY sequence", StoredDefault.init)
        return (defaults, damaged)
    }

    /// Stores the default handler that the user chose for a scheme; `nil` removes the choice (I21).
    package func setDefault(_ application: ApplicationID?, for scheme: URLScheme) throws {
        guard let application else {
            return try transaction.write(
                "DELETE FROM @.scheme_default WHERE scheme = ?", .persistent, [.text(scheme.spelling)])
        }
        let sequence = try nextSequence("SELECT max(sequence) FROM @.scheme_default")
        try transaction.insert(
            "INSERT OR REPLACE INTO @.scheme_default VALUES (?, ?, ?, ?, ?)", .persistent,
            [.integer(sequence), .text(scheme.spelling), .text(application.text), .number(transaction.now)],
            in: .schemeDefault)
    }

    /// The claims of running handlers, oldest first. Damaged rows are left out; their handlers will register again.
    package func liveClaims() throws -> [LiveClaims] {
        try rows("SELECT * FROM @.live_claim ORDER BY sequence", LiveClaims.init).rows
    }

    package func saveLiveClaims(_ claims: LiveClaims) throws {
        let find = try transaction.statement(
            "SELECT sequence FROM @.live_claim WHERE application = ?", .persistent)
        let known = try find.first([.text(claims.application.text)]) { $0.integer(0) }
        let sequence = try known ?? nextSequence("SELECT max(sequence) FROM @.live_claim")
        let schemes = claims.schemes.reduce(into: [UInt8]()) { $0.append(field: $1.spelling) }
        try transaction.insert(
            "INSERT OR REPLACE INTO @.live_claim VALUES (?, ?, ?, ?, ?, ?, ?)", .persistent,
            [
                .integer(sequence), .text(claims.application.text), .text(claims.owner), .bytes(schemes),
                .number(UInt64(max(1, claims.window))), .number(claims.takesDescriptors ? 1 : 0),
            ], in: .liveClaim)
    }

    package func removeLiveClaims(of application: ApplicationID) throws {
        try transaction.write(
            "DELETE FROM @.live_claim WHERE application = ?", .persistent, [.text(application.text)])
    }

    /// The access policies, and the number of damaged rows. If an application's row is damaged, no other application
    /// may open its URLs, because an unreadable policy allows nothing (I19).
    package func policies() throws -> (policies: [ApplicationID: AccessPolicy], damaged: Int) {
        var policies: [ApplicationID: AccessPolicy] = [:]
        var damaged = 0
        try transaction.statement("SELECT * FROM @.policy", .persistent).query { row in
            let policy = AccessPolicy(row)
            if policy == nil { damaged += 1 }
            guard let application = try? ApplicationID(row.text(1)) else { return }
            policies[application] = policy ?? AccessPolicy(allowsOthers: false)
        }
        return (policies, damaged)
    }

    /// Stores an application's access policy. A policy that allows every caller has no row.
    package func setPolicy(_ policy: AccessPolicy, of application: ApplicationID) throws {
        guard !policy.isOpen else {
            return try transaction.write(
                "DELETE FROM @.policy WHERE application = ?", .persistent, [.text(application.text)])
        }
        let sequence = try nextSequence("SELECT max(sequence) FROM @.policy")
        try transaction.insert(
            "INSERT OR REPLACE INTO @.policy VALUES (?, ?, ?, ?, ?, ?)", .persistent,
            [
                .integer(sequence), .text(application.text), .integer(policy.allowsOthers ? 1 : 0),
                .bytes(Self.packed(policy.allowed)), .bytes(Self.packed(policy.refused)),
            ], in: .policy)
    }

    private static func packed(_ applications: Set<ApplicationID>) -> [UInt8] {
        applications.sorted().reduce(into: []) { $0.append(field: $1.text) }
    }

    private func nextSequence(_ greatest: StaticString) throws -> Int64 {
        let last = try transaction.statement(greatest, .persistent).first { $0.integer(0) } ?? 0
        guard last < SQLRow.greatest else { throw StoreError.noSpace }
        return last + 1
    }
}

extension StoredDefault {
    init?(_ row: SQLRow) {
        guard row.isIntact(.schemeDefault, checksum: 4), let scheme = try? URLScheme(row.text(1)),
            let application = try? ApplicationID(row.text(2))
        else { return nil }
        self.init(scheme: scheme, application: application)
    }
}

extension AccessPolicy {
    init?(_ row: SQLRow) {
        guard row.isIntact(.policy, checksum: 5), let allowed = Self.applications(row.bytes(3)),
            let refused = Self.applications(row.bytes(4))
        else { return nil }
        self.init(allowsOthers: row.integer(2) != 0, allowed: allowed, refused: refused)
    }

    private static func applications(_ packed: [UInt8]) -> Set<ApplicationID>? {
        var fields = PackedFields(packed)
        var applications: Set<ApplicationID> = []
        while !fields.isAtEnd {
            guard let application = try? ApplicationID(fields.text() ?? "") else { return nil }
            applications.insert(application)
        }
        return applications
    }
}
