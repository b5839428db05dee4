private import Dispatch
private import Synchronization

/// Names that arrive on the I/O thread while the thread that asked for them waits.
final class GatheredNames: Sendable {
    /// How long to keep the user waiting after a key press.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// The maximum number of names: more than anyone reads.
    private static let most = 500

    private let start: String
    private let names = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)

    init(startingWith start: String) { self.start = start }

    /// Adds a name, unless it lacks the prefix, is unsafe for a shell, or was already added.
    /// - Parameter keepingNewest: whether a new name replaces the oldest one if there are too many.
    /// - Returns: whether another name may be added.
    @discardableResult
    func add(_ name: String, keepingNewest: Bool = false) -> Bool {
        guard name.hasPrefix(start), SafeName.isSafe(name) else { return true }
        return names.withLock { names in
            if !names.contains(name) { names.append(name) }
            if keepingNewest && names.count > Self.most { names.removeFirst() }
            return keepingNewest || names.count < Self.most
        }
    }

    /// Ends the wait in ``all()``, because no more names will arrive.
    func end() { ended.signal() }

    /// Returns the names once all have arrived, or those that have arrived when ``patience`` is over.
    func all() -> [String] {
        _ = ended.wait(timeout: .now() + Self.patience)
        return names.withLock { $0 }
    }
}
