/// The known versions of boards by change count: those of all acknowledged writes, and those of the reads so far.
struct BoardVersions {
    struct Version {
        let board: String
        /// The operation that made the version; `nil` for the first version of a new board, and for an empty version
        /// that several operations may have made.
        var maker: History.Operation?
        /// The items; `nil` while only the last one is known.
        var items: [History.Value]?
        let isAcknowledged: Bool
        /// The take that consumed the version.
        var taker: History.Operation?
    }

    private(set) var known: [UInt64: Version] = [:]

    subscript(count: UInt64) -> Version? { known[count] }

    mutating func insert(_ version: Version, _ count: UInt64) { known[count] = version }

    mutating func learn(_ items: [History.Value], of count: UInt64) { known[count]?.items = items }

    mutating func take(_ count: UInt64, by operation: History.Operation) { known[count]?.taker = operation }

    /// Creates the versions that acknowledged writes made.
    init(acknowledged writes: BoardWrites) {
        for (count, operations) in writes.acknowledged {
            guard let operation = operations.first, let (board, value) = operation.action.written else { continue }
            let items = value.map { [$0] } ?? []
            known[count] = Version(
                board: board, maker: operation, items: operation.action.appends ? nil : items, isAcknowledged: true)
        }
    }
}
