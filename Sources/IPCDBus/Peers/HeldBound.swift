/// A bound for what this process holds for peers, of several connections together: bytes, or descriptors.
///
/// A bus stores messages for programs that do not read, and messages that have arrived in part. Between peers this process
/// stores them. At the bound one connection ends: of those that hold a good part, the one without progress for longest. So a
/// reader that has just asked for much does not pay for one that does not read, and a quiet small one does not pay either.
@DBusActor
final class HeldBound {
    private let most: Int
    private var total = 0
    /// How often something has moved: a clock that costs nothing.
    private var moves: UInt64 = 0
    private var holding: [ObjectIdentifier: Share] = [:]

    /// A good part is a fourth of an equal one, so small holders count as well beside one that holds as much alone.
    private static let partOfEqual = 4

    init(most: Int) { self.most = most }

    /// What one connection holds, in one direction.
    @DBusActor
    final class Share {
        fileprivate(set) var amount = 0
        fileprivate var stillSince: UInt64 = 0
        fileprivate var hasEnded = false
        fileprivate let end: @DBusActor () -> Void
        private let bound: HeldBound

        /// - Parameter end: ends the connection that holds this; never called before the call that led to it has returned.
        init(of bound: HeldBound, end: @escaping @DBusActor () -> Void) { (self.bound, self.end) = (bound, end) }

        /// Says what is held now.
        /// - Parameter hasMoved: a message has come or gone whole since the last time.
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

        /// Whether more may be held; makes room for it where another connection has to go first.
        func admits() -> Bool { bound.makesRoom(for: self) }
    }

    /// There are never more than the bound and what one message brings along.
    fileprivate func makesRoom(for share: Share) -> Bool {
        while total >= most, let longest = longestStill() {
            total -= longest.amount
            holding[ObjectIdentifier(longest)] = nil
            (longest.amount, longest.hasEnded) = (0, true)
            // Later: the end of the connection ends its calls, and their handlers may send again.
            DBusActor.thread.soon { longest.end() }
        }
        return !share.hasEnded
    }

    private func longestStill() -> Share? {
        let goodPart = total / (Self.partOfEqual * max(1, holding.count))
        return holding.values.filter { $0.amount >= goodPart }.min { $0.stillSince < $1.stillSince }
    }
}
