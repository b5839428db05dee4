private import Dispatch
private import Synchronization

/// Names that arrive on the I/O thread while the thread that asked for them waits.
final class GatheredNames: Sendable {
    /// How long to wait after the user has pressed a key.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// The greatest count of names: more than a person reads.
    private static let most = 500

    private let start: String
    private let names = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter start: the start of all names.
    init(startingWith start: String) { self.start = start }

    /// Adds a name that has the right start, unless it is already there.
    /// - Parameter keepingNewest: whether the newest names replace the first ones if there are too many.
    /// - Returns: whether there is room for more.
    @discardableResult
    func add(_ name: String, keepingNewest: Bool = false) -> Bool {
        guard name.hasPrefix(start), SafeName.isSafe(name) else { return true }
        return names.withLock { names in
            if !names.contains(name) { names.append(name) }
            if keepingNewest && names.count > Self.most { names.removeFirst() }
            return keepingNewest || names.count < Self.most
        }
    }

    /// Ends the wait: no more names will arrive.
    func end() { ended.signal() }

    /// Waits until all names have arrived, or the time is over.
    func all() -> [String] {
        _ = ended.wait(timeout: .now() + Self.patience)
        return names.withLock { $0 }
    }
}
