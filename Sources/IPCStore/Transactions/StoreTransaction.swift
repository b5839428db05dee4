/// The store as an operation sees it. If the closure passed to ``Store/commit(_:)`` or ``Store/stage(_:)`` throws, all
/// of its writes are undone. Every method throws a `Condition` if a caller can act on the error, and SQLite's error if
/// the disk or the file has failed.
package struct StoreTransaction: ~Copyable {
    let session: StoreSession

    /// When the operation began, in milliseconds since 1970.
    package var now: UInt64 { session.transaction.now }

    /// The current time of the clock for the deadlines of versions, in milliseconds since boot.
    package var uptime: UInt64 { session.configuration.uptime() }

    /// The error for every write to the file, if the file was removed, moved or replaced; otherwise `nil`.
    package var loss: StoreError? { session.transaction.log.loss }

    package var requests: Requests { session.requests }
    package var registrations: Registrations { session.registrations }

    init(_ session: StoreSession) { self.session = session }

    /// Checks that no staged operation of an earlier group was lost to a full disk.
    package func require(_ group: CommitGroup) throws(StoreError) {
        guard !session.transaction.mayBeLost(group) else { throw .noSpace }
    }
}

/// The result of a staged operation, and the group that contains its writes. A later commit that depends on the
/// operation passes the group to ``StoreTransaction/require(_:)``.
package struct Staged<Value: Sendable>: Sendable {
    package let value: Value
    package let group: CommitGroup

    package init(value: Value, group: CommitGroup) { (self.value, self.group) = (value, group) }
}
