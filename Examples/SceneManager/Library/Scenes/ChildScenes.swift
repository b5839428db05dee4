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
    public var current: any Scene {
        let child = made[place] ?? makers[place]()
        made[place] = child
        return child
    }

    /// Returns the change to another child; `.redraw` if there is no such child, or it is already visible.
    public func turn(to place: Int, by transition: Transition) -> SceneAction {
        guard makers.indices.contains(place), place != self.place else { return .redraw }
        return .turn(
            ChildTurn(transition: transition) { [self] in
                let (old, isReturning) = (current, made[place] != nil)
                self.place = place
                return (old, current, isReturning)
            })
    }

    /// Passes a moment of the container to its visible child; all children end with the container.
    public func take(_ moment: SceneMoment) {
        switch moment {
        case .end: for child in made.values { child.take(moment) }
        case .memoryShort:
            made = made.filter { $0.key == place }
            current.take(moment)
        default: current.take(moment)
        }
    }
}

/// The change from one child to another.
public struct ChildTurn {
    let transition: Transition
    /// Makes the other child the visible one.
    let begin: @MainActor () -> (old: any Scene, new: any Scene, isReturning: Bool)
}
