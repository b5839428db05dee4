package import IPCModel

/// The claims of a running handler, kept over a restart of the broker, so that the handler need not notice it.
package struct LiveClaims: Sendable, Hashable {
    package let application: ApplicationID
    /// The owner of the application's name: its unique name, `@`, and the id of the bus.
    package let owner: String
    /// Oldest first.
    package let schemes: [URLScheme]
    /// The limit of requests in flight to the application.
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

extension LiveClaims {
    /// Reads a row of `SELECT *`; nil if it is damaged.
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
