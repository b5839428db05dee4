private import Dispatch
private import Synchronization

/// Names that come in on the I/O thread while the thread that asked for them waits, for a moment.
final class GatheredNames: Sendable {
    /// How long a person who has pressed a key is kept waiting.
    static let patience = Duration.milliseconds(500)
    /// More than anybody reads.
    private static let most = 500

    private let start: String
    private let names = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter start: how all of them begin.
    init(startingWith start: String) { self.start = start }

    /// Takes a name that fits, once.
    /// - Parameter lettingGo: whether the first ones give way where there are too many.
    /// - Returns: whether there is room for more.
    @discardableResult
    func add(_ name: String, lettingGo: Bool = false) -> Bool {
        guard name.hasPrefix(start), SafeName.isSafe(name) else { return true }
        return names.withLock { names in
            if !names.contains(name) { names.append(name) }
            if lettingGo && names.count > Self.most { names.removeFirst() }
            return lettingGo || names.count < Self.most
        }
    }

    /// No more will come.
    func end() { ended.signal() }

    /// What has come when all have, or when the time is up.
    func all() -> [String] {
        let (seconds, attoseconds) = Self.patience.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = ended.wait(timeout: .now() + .nanoseconds(nanoseconds))
        return names.withLock { $0 }
    }
}
