package import IPCModel

/// What a running handler claims, as it is kept over a restart of the broker: the handler need not notice one.
package struct LiveClaims: Sendable, Hashable {
    package let application: ApplicationID
    /// Who owns the application's name: its unique name, `@`, and the id of the bus.
    package let owner: String
    /// The schemes as they were written, oldest first.
    package let schemes: [URLScheme]
    /// How many requests may be in flight to the application.
    package let window: UInt32
    /// Whether deliveries may carry descriptors.
    package let takesDescriptors: Bool

    package init(
        application: ApplicationID, owner: String, schemes: [URLScheme], window: UInt32, takesDescriptors: Bool
    ) {
        (self.application, self.owner, self.schemes) = (application, owner, schemes)
        (self.window, self.takesDescriptors) = (window, takesDescriptors)
    }
}

extension StoreTransaction {
    /// What running handlers claimed, in the order in which they came. A damaged row is left out: its handler comes by
    /// itself.
    package func liveClaims() throws -> [LiveClaims] {
        var claims: [LiveClaims] = []
        try session.transaction.statement("SELECT * FROM @.live_claim ORDER BY sequence", .persistent).query { row in
            if let claim = LiveClaims(row) { claims.append(claim) }
        }
        return claims
    }

    /// Writes down what a running handler claims, all of it.
    package func saveLiveClaims(_ claims: LiveClaims) throws {
        let find = try session.transaction.statement(
            "SELECT sequence FROM @.live_claim WHERE application = ?", .persistent)
        let known = try find.first([.text(claims.application.text)]) { $0.integer(0) }
        let sequence = try known ?? session.nextSequence("SELECT max(sequence) FROM @.live_claim")
        let schemes = claims.schemes.reduce(into: [UInt8]()) { $0.append(field: $1.spelling) }
        try session.transaction.insert(
            "INSERT OR REPLACE INTO @.live_claim VALUES (?, ?, ?, ?, ?, ?, ?)", .persistent,
            [
                .integer(sequence), .text(claims.application.text), .text(claims.owner), .bytes(schemes),
                .number(UInt64(max(1, claims.window))), .number(claims.takesDescriptors ? 1 : 0),
            ], in: .liveClaim)
    }

    /// Forgets what a handler claimed that does not run any more.
    package func removeLiveClaims(of application: ApplicationID) throws {
        try session.transaction.write(
            "DELETE FROM @.live_claim WHERE application = ?", .persistent, [.text(application.text)])
    }
}

extension LiveClaims {
    /// Reads a row of `SELECT *`; nil where it is damaged.
    fileprivate init?(_ row: SQLRow) {
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
