/// Scenes on top of each other, of which the topmost one is seen. A value: it changes, and returns what has to be done.
///
/// A scene is made when it is first shown. One that cannot be seen may be let go; its address stays, and it is made again
/// from that.
public struct SceneStack: Sendable, Equatable {
    /// A place on the stack.
    public struct Entry: Sendable, Hashable, Identifiable {
        public let id: Int
        /// From which the scene is made.
        public fileprivate(set) var address: SceneAddress
        /// Whether there is a scene now.
        public fileprivate(set) var isMade = false
        /// Whether it was seen before, be it in an earlier life of the program.
        fileprivate var wasShown = false
    }

    /// What has to be done for the scene of an entry, in the order of an array of them. What is made comes first,
    /// because that can fail, and then nothing has happened.
    public enum Step: Sendable, Hashable {
        /// Make it from its address, to be seen.
        case make(Entry.ID)
        /// It cannot be seen any more; something lies on it.
        case sleep(Entry.ID)
        /// It is seen again.
        case restore(Entry.ID)
        /// It has left the stack.
        case end(Entry.ID)
        /// Let it go, for its memory; it stays on the stack.
        case release(Entry.ID)
    }

    /// How many can lie on each other: 100. Other programs push too.
    public static let depthLimit = 100

    /// The root first; never empty.
    public private(set) var entries: [Entry] = []
    private var lastID = 0

    /// A stack of which nothing was seen yet.
    public init(root: SceneAddress) { append(root) }

    /// A stack as it was in an earlier life, the root first; `nil` without a root.
    public init?(restoring addresses: [SceneAddress]) {
        guard !addresses.isEmpty else { return nil }
        for address in addresses.prefix(Self.depthLimit) { append(address, wasShown: true) }
    }

    /// The one that is seen.
    public var top: Entry { entries[entries.endIndex - 1] }

    /// What is kept to have the stack again.
    public var addresses: [SceneAddress] { entries.map(\.address) }

    /// Notes where a scene stands now.
    public mutating func note(_ address: SceneAddress, for id: Entry.ID) {
        guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[place].address = address
    }

    /// Shows the topmost scene at the start of the program.
    public mutating func begin() -> [Step] { showTop() }

    /// Lets go of every scene that cannot be seen.
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

    /// Takes those above a place off, the topmost first, and returns their ends.
    mutating func removeAll(above count: Int) -> [Step] {
        let ended = entries[count...].reversed().filter(\.isMade).map { Step.end($0.id) }
        entries.removeLast(entries.count - count)
        return ended
    }

    /// Makes the topmost scene if it is not there, and restores it if it was seen before.
    mutating func showTop() -> [Step] {
        let place = entries.endIndex - 1
        let shown = entries[place]
        (entries[place].isMade, entries[place].wasShown) = (true, true)
        return (shown.isMade ? [] : [.make(shown.id)]) + (shown.wasShown ? [.restore(shown.id)] : [])
    }
}
