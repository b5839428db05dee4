public import Terminal

/// A container with a front and a back, which a key or `flip` turns over: `NAME?side=back`.
@MainActor
public final class FlipScene: Scene {
    private let name: SceneAddress
    private let sides: ChildScenes
    private let duration: Duration

    /// - Parameters:
    ///   - address: its `side` selects the visible side.
    ///   - front: the side that is visible at first.
    ///   - duration: how long a flip takes.
    public init(
        _ address: SceneAddress, front: @escaping ChildScenes.Maker, back: @escaping ChildScenes.Maker,
        duration: Duration = .milliseconds(300)
    ) {
        name = address
        self.duration = duration
        sides = ChildScenes([front, back], showing: address["side"] == "back" ? 1 : 0)
    }

    public var title: String { sides.current.title }
    public var hint: String { "space: turn over" }

    public var address: SceneAddress {
        var address = name
        address["side"] = sides.place == 1 ? "back" : nil
        return address
    }

    public func draw(on canvas: inout Canvas) { sides.current.draw(on: &canvas) }

    public func take(_ event: TerminalEvent) -> SceneAction {
        event == .key(.character(" ")) ? flip() : sides.current.take(event)
    }

    public func take(_ order: SceneAddress) throws -> SceneAction? {
        order.name == "flip" ? flip() : try sides.current.take(order)
    }

    private func flip() -> SceneAction {
        sides.turn(to: 1 - sides.place, by: Transition(.flip, duration)).map(SceneAction.turn) ?? .redraw
    }

    public var isLoaded: Bool { sides.current.isLoaded }
    public func load() async throws { try await sides.current.load() }
    public func sleep() { sides.sleep() }
    public func restore() { sides.restore() }
    public func end() { sides.end() }
    public func letGo() { sides.letGo() }
}
