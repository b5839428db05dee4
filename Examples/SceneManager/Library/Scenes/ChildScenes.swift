/// The children of a container. Only one child is visible, and each is created when it is first shown.
@MainActor
public final class ChildScenes {
    public typealias Maker = @MainActor () -> any Scene

    private let makers: [Maker]
    private var made: [Int: any Scene] = [:]
    /// The index of the visible child.
    public private(set) var place: Int

    /// - Parameter place: the index of the visible child; if there is no such child, the nearest one.
    public init(_ makers: [Maker], showing place: Int = 0) {
        precondition(!makers.isEmpty, "a container needs a child")
        self.makers = makers
        self.place = min(max(place, 0), makers.count - 1)
    }

    public var count: Int { makers.count }

    /// The visible child.
    public var current: any Scene { child(place) }

    /// Whether a child currently exists.
    public func isMade(_ place: Int) -> Bool { made[place] != nil }

    /// Returns the change to another child; `nil` if there is no such child, or it is already visible.
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

    /// Releases the children that are not visible.
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
    /// Shows the other child. Returns a closure, which is called once the old child is no longer visible, and notifies
    /// both children.
    let begin: @MainActor () -> @MainActor () -> Void
}
