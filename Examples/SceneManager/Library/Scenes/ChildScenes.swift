/// The children of a container: several scenes in one place, of which one is seen. Each is made when it is first shown.
@MainActor
public final class ChildScenes {
    public typealias Maker = @MainActor () -> any Scene

    private let makers: [Maker]
    private var made: [Int: any Scene] = [:]
    /// Which one is seen, from 0.
    public private(set) var place: Int

    /// - Parameter place: the one that is seen; the nearest where there is no such place.
    public init(_ makers: [Maker], showing place: Int = 0) {
        precondition(!makers.isEmpty, "a container needs a child")
        self.makers = makers
        self.place = min(max(place, 0), makers.count - 1)
    }

    public var count: Int { makers.count }

    /// The one that is seen.
    public var current: any Scene { child(place) }

    /// Whether a child exists now.
    public func isMade(_ place: Int) -> Bool { made[place] != nil }

    /// Shows another child; `nil` where there is none, or it is the one that is seen.
    public func turn(to place: Int, by transition: Transition) -> ChildTurn? {
        guard makers.indices.contains(place), place != self.place else { return nil }
        return ChildTurn(transition: transition) { [self] in
            let (old, isNew) = (current, !isMade(place))
            self.place = place
            let new = current
            return {
                old.sleep()
                if !isNew { new.restore() }
            }
        }
    }

    /// Lets go of the children that cannot be seen.
    public func letGo() {
        made = made.filter { $0.key == place }
        current.letGo()
    }

    public func sleep() { current.sleep() }
    public func restore() { current.restore() }
    public func end() { for child in made.values { child.end() } }

    private func child(_ place: Int) -> any Scene {
        if let child = made[place] { return child }
        let child = makers[place]()
        made[place] = child
        return child
    }
}

/// The change from one child to another.
public struct ChildTurn {
    let transition: Transition
    /// Shows the other child, and returns what tells both when the old one cannot be seen any more.
    let begin: @MainActor () -> @MainActor () -> Void
}
