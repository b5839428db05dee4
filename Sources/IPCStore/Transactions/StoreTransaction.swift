/// What an operation does its work on: one step that happens whole or not at all.
///
/// It is lent to the closure of ``Store/commit(_:)`` or ``Store/stage(_:)``, on the store's own thread, and cannot be
/// kept. What the closure throws undoes what it wrote, and nothing else. All methods throw a `Condition` where a caller
/// can act, and SQLite's error where the disk or the file has failed.
package struct StoreTransaction: ~Copyable {
    let session: StoreSession

    /// The time that the whole operation sees, in milliseconds since 1970.
    package var now: UInt64 { session.transaction.now }

    /// Milliseconds of the clock by which versions end.
    package var uptime: UInt64 { session.configuration.uptime() }

    package var requests: Requests { session.requests }
    package var registrations: Registrations { session.registrations }

    init(_ session: StoreSession) { self.session = session }

    /// Makes sure that what was staged before is still there: it may have been lost on a full disk.
    package func require(_ group: CommitGroup) throws(StoreError) {
        guard !session.transaction.mayBeLost(group) else { throw .noSpace }
    }
}

/// What a staged operation gave, and the group with which it reaches the disk.
///
/// A later commit that rests on it passes the group to ``StoreTransaction/require(_:)``.
package struct Staged<Value: Sendable>: Sendable {
    package let value: Value
    package let group: CommitGroup
}
