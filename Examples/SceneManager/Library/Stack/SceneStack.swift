/// A stack of scenes. Only the top scene is visible. The stack is a value: a change returns the steps to perform.
///
/// A scene is created when it is first shown. If it is not visible, it may be released; its address stays on the stack,
/// and the scene is created again from it.
public struct SceneStack: Sendable, Equatable {
    /// An entry on the stack.
    public struct Entry: Sendable, Hashable, Identifiable {
        public let id: Int
        /// The address from which the scene is created.
        public fileprivate(set) var address: SceneAddress
        /// Whether the scene currently exists.
        public fileprivate(set) var isMade = false
        /// Whether the scene was shown before, even if that was in an earlier run of the program.
        fileprivate var wasShown = false
    }

    /// A step to perform for the scene of an entry. Steps are performed in order. Scenes are created first, so that
    /// nothing has changed yet if this fails.
    public enum Step: Sendable, Hashable {
        /// Create the scene from its address, to show it.
        case make(Entry.ID)
        /// Notify the scene that another scene now covers it.
        case sleep(Entry.ID)
        /// Notify the scene that it is visible again.
        case restore(Entry.ID)
        /// Notify the scene that it has left the stack.
        case end(Entry.ID)
        /// Release the scene to free its memory; its entry stays on the stack.
        case release(Entry.ID)
    }

    /// The maximum number of scenes on the stack. A limit is necessary, because other programs can push scenes too.
    public static let depthLimit = 100

    /// The entries, root first; never empty.
    public private(set) var entries: [Entry] = []
    private var lastID = 0

    /// Creates a stack that has not been shown yet.
    public init(root: SceneAddress) { append(root) }

    /// Restores the stack of an earlier run, root first; `nil` without a root.
    public init?(restoring addresses: [SceneAddress]) {
        guard !addresses.isEmpty else { return nil }
        for address in addresses.prefix(Self.depthLimit) { append(address, wasShown: true) }
    }

    /// The visible entry.
    public var top: Entry { entries[entries.endIndex - 1] }

    /// The addresses from which the stack can be restored.
    public var addresses: [SceneAddress] { entries.map(\.address) }

    /// Records the current address of a scene.
    public mutating func note(_ address: SceneAddress, for id: Entry.ID) {
        guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[place].address = address
    }

    /// Shows the top scene when the program starts.
    public mutating func begin() -> [Step] { showTop() }

    /// Releases every scene that is not visible.
    public mutating func letGo() -> [Step] {
        entries.indices.dropLast().compactMap { place in
            guard entries[place].isMade else { return nil }
            entries[place].isMade = false
            return .release(entries[place].id)
        }
    }

    mutating func append(_ address: SceneAddress, wasShown: Bool = false) {
        lastID += 1
        entries.append(Entry(id: lastID, address: address, wasShown: wasShown))
    }

    /// Removes all entries except the lowest `count`, from the top down, and returns the `end` steps for their scenes.
    mutating func removeAll(above count: Int) -> [Step] {
        let ended = entries[count...].reversed().filter(\.isMade).map { Step.end($0.id) }
        entries.removeLast(entries.count - count)
        return ended
    }

    /// Creates the top scene if it does not exist, and restores it if it was shown before.
    mutating func showTop() -> [Step] {
        let place = entries.endIndex - 1
        let shown = entries[place]
        (entries[place].isMade, entries[place].wasShown) = (true, true)
        return (shown.isMade ? [] : [.make(shown.id)]) + (shown.wasShown ? [.restore(shown.id)] : [])
    }
}
