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

    /// Whether the scene has everything that it shows.
    var isLoaded: Bool { get }
    /// Loads what the scene shows. If something is missing, this is called when the scene becomes visible and for
    /// ``SceneAction/load``, and the scene is drawn when it returns. It is cancelled when the scene leaves the stack.
    /// - Throws: the reply to the URL that opened the scene. The scene shows the reason itself.
    func load() async throws

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
    public var isLoaded: Bool { true }
    public func load() async throws {}
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
    /// Calls the scene's ``Scene/load()``, unless it ``Scene/isLoaded``.
    case load
    /// Does something that takes time, in place of the scene's earlier work, while keys are still handled. Afterwards,
    /// performs the action that it returns, unless another scene is visible by then. An error is shown as a notice.
    case run(@MainActor () async throws -> SceneAction)
    /// Cancels the work that the scene has started with `load` or `run`.
    case cancel
    /// Exits the program; the stack is restored on the next start.
    case quit
}
