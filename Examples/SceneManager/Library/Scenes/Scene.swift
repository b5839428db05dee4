public import Terminal

/// A screen. It is created when it is first shown, and created again when it is shown after a release. So everything
/// that it needs to restore must be in its ``address``.
@MainActor
public protocol Scene: AnyObject {
    /// The scene's name for users. It is shown in the top line of the screen, and sent as the reply to a URL.
    var title: String { get }
    /// The address from which this scene can be created again in its current state.
    var address: SceneAddress { get }
    /// A description of the keys, for the bottom line.
    var hint: String { get }

    /// Draws the scene on an empty canvas.
    func draw(on canvas: inout Canvas)
    /// Handles a key or a paste.
    func take(_ event: TerminalEvent) -> SceneAction
    /// Carries out an order from a URL that does not concern the stack; `nil` if the scene does not know the order.
    func take(_ order: SceneAddress) throws -> SceneAction?

    /// Called when another scene covers this one.
    func sleep()
    /// Called when the scene is visible again.
    func restore()
    /// Called when the scene has left the stack.
    func end()
    /// Called when memory is short. The scene should release everything that it can create again.
    func letGo()
}

extension Scene {
    public var hint: String { "" }
    public func take(_ event: TerminalEvent) -> SceneAction { .pass }
    public func take(_ order: SceneAddress) throws -> SceneAction? { nil }
    public func sleep() {}
    public func restore() {}
    public func end() {}
    public func letGo() {}
}

/// The action that a scene requests.
public enum SceneAction {
    /// The scene did not handle the key, so the stage may handle it.
    case pass
    /// The scene has changed, and must be drawn again.
    case redraw
    /// Changes the stack, and calls `finished` when the new picture is complete.
    case go(StackCommand, by: Transition? = nil, finished: @MainActor () -> Void = {})
    /// Shows another child of a container.
    case turn(ChildTurn)
    /// Shows an alert; `then` returns the next action for the index of the answer.
    case ask(Alert, then: @MainActor (Int) -> SceneAction)
    /// Exits the program; the stack is restored on the next start.
    case quit
}
