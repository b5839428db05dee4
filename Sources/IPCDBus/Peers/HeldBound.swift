/// A limit for the bytes or descriptors that this process holds for peers, shared by several connections. Without a
/// bus, this process itself stores unread and incomplete messages. At the limit, one of the connections that hold a
/// large part is closed: the one that has gone longest without progress. This protects two kinds of peers from one that
/// does not read: a peer that has just requested a lot, and an idle peer that holds little.
@DBusActor
final class HeldBound {
    private let most: Int
    private var total = 0
    /// The number of times that any connection has made progress. It serves as a clock that needs no system call.
    private var moves: UInt64 = 0
    private var holding: [ObjectIdentifier: Share] = [:]

    /// A part is large if it is at least a quarter of the average. So even if one connection holds half of the total,
    /// the parts of other connections can be large.
    private static let partOfEqual = 4

    init(most: Int) { self.most = most }

    /// The bytes or descriptors that one connection holds in one direction: incoming or outgoing.
    @DBusActor
    final class Share {
        fileprivate(set) var amount = 0
        fileprivate var stillSince: UInt64 = 0
        fileprivate var hasEnded = false
        fileprivate let end: @DBusActor () -> Void
        private let bound: HeldBound

        /// - Parameter end: closes the connection. It is called later, never from within ``admits()``.
        init(of bound: HeldBound, end: @escaping @DBusActor () -> Void) { (self.bound, self.end) = (bound, end) }

        /// - Parameter hasMoved: whether a whole message has arrived or left since the last call.
        func set(_ amount: Int, hasMoved: Bool) {
            guard !hasEnded, amount > 0 || self.amount > 0 else { return }
            bound.total += amount - self.amount
            if hasMoved || self.amount == 0 {
                bound.moves += 1
                stillSince = bound.moves
            }
            self.amount = amount
            bound.holding[ObjectIdentifier(self)] = amount > 0 ? self : nil
        }

        /// Whether the connection may hold more. At the limit, connections are closed to make room, perhaps this one.
        func admits() -> Bool { bound.makesRoom(for: self) }
    }

    /// Closes connections until the total is below the limit. The total exceeds the limit by at most one message.
    fileprivate func makesRoom(for share: Share) -> Bool {
        while total >= most, let longest = longestStill() {
            total -= longest.amount
            holding[ObjectIdentifier(longest)] = nil
            (longest.amount, longest.hasEnded) = (0, true)
            // Close after the current job: this fails the connection's calls, and their callers may send again at once.
            DBusActor.thread.soon { longest.end() }
        }
        return !share.hasEnded
    }

    private func longestStill() -> Share? {
        let goodPart = total / (Self.partOfEqual * max(1, holding.count))
        return holding.values.filter { $0.amount >= goodPart }.min { $0.stillSince < $1.stillSince }
    }
}
