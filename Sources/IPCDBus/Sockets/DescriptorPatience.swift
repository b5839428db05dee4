/// How long a link waits for others when the descriptors of a message cannot leave.
///
/// The system counts descriptors that are on their way between processes for each user (unix(7), `ETOOMANYREFS`), so another
/// process decides when they can. The link keeps the order of its messages, which all wait meanwhile. Hence the wait is
/// short, and while the state lasts only the first message has it.
@DBusActor
struct DescriptorPatience {
    private let timer = DBusTimer()
    private var since: ContinuousClock.Instant?

    static let most = Duration.milliseconds(100)
    private static let pause = Duration.milliseconds(10)

    /// Whether nothing is sent now.
    var isWaiting: Bool { timer.isSet }

    /// - Parameter retry: sends again; runs unless this returns false.
    /// - Returns: whether there is still time for another attempt.
    mutating func waits(_ retry: @escaping @DBusActor () -> Void) -> Bool {
        let now = ContinuousClock.now
        let since = since ?? now
        self.since = since
        guard now < since + Self.most else { return false }
        timer.set(at: now + Self.pause, retry)
        return true
    }

    /// Descriptors have left, or the link has ended.
    mutating func end() {
        guard since != nil else { return }
        timer.cancel()
        since = nil
    }
}
