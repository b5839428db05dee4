/// A limit of the bytes or the descriptors that this process holds for peers, for several connections together.
///
/// A bus stores messages for programs that do not read, and incomplete messages. Between peers, this process stores them. At the
/// limit, one connection ends: among those that hold a large part, the one without progress for longest. So neither a reader
/// that has just asked for much nor a small idle connection pays for a connection that does not read.
@DBusActor
final class HeldBound {
    private let most: Int
    private var total = 0
    /// A count of movements, which serves as a clock without a system call.
    private var moves: UInt64 = 0
    private var holding: [ObjectIdentifier: Share] = [:]

    /// A large part is a fourth of an equal one, so that small holders count beside one that holds as much alone.
    private static let partOfEqual = 4

    init(most: Int) { self.most = most }

    /// The part of one connection, in one direction.
    @DBusActor
    final class Share {
        fileprivate(set) var amount = 0
        fileprivate var stillSince: UInt64 = 0
        fileprivate var hasEnded = false
        fileprivate let end: @DBusActor () -> Void
        private let bound: HeldBound

        /// - Parameter end: ends the connection; called only after the call that caused it has returned.
        init(of bound: HeldBound, end: @escaping @DBusActor () -> Void) { (self.bound, self.end) = (bound, end) }

        /// - Parameter hasMoved: whether a whole message has come or gone since the last time.
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

        /// Whether the connection may hold more; ends others to make room.
        func admits() -> Bool { bound.makesRoom(for: self) }
    }

    /// The total never exceeds the limit by more than one message.
    fileprivate func makesRoom(for share: Share) -> Bool {
        while total >= most, let longest = longestStill() {
            total -= longest.amount
            holding[ObjectIdentifier(longest)] = nil
            (longest.amount, longest.hasEnded) = (0, true)
            // Later, because the end of the connection ends its calls, whose handlers may send again.
            DBusActor.thread.soon { longest.end() }
        }
        return !share.hasEnded
    }

    private func longestStill() -> Share? {
        let goodPart = total / (Self.partOfEqual * max(1, holding.count))
        return holding.values.filter { $0.amount >= goodPart }.min { $0.stillSince < $1.stillSince }
    }
}
