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
    /// The transition that shows the scene if the command does not name one; `nil` shows it at once.
    var entrance: Transition? { get }
    /// The transition that removes the scene from view if the command does not name one; `nil` removes it at once.
    var exit: Transition? { get }

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
    /// Reacts to a moment in the life of the scene. README.md shows the order of the moments.
    func take(_ moment: SceneMoment)
}

extension Scene {
    public var hint: String { "" }
    public var entrance: Transition? { nil }
    public var exit: Transition? { nil }
    public func take(_ event: TerminalEvent) -> SceneAction { .pass }
    public func take(_ order: SceneAddress) throws -> SceneAction? { nil }
    public var isLoaded: Bool { true }
    public func load() async throws {}
    public func take(_ moment: SceneMoment) {}
}

/// A moment in the life of a scene, after its creation.
public enum SceneMoment: Sendable, Hashable {
    /// The scene will be visible again: it was covered, or released, or the program was started again.
    case restore
    /// The scene will be drawn in this orientation. This comes before each ``willAppear``, and when the terminal of a
    /// visible scene becomes narrow or wide.
    case layout(Orientation)
    /// The scene will be visible. A transition may follow.
    case willAppear
    /// The previous scene is no longer visible: the darkest moment of a fade that leads to this scene.
    case turned(Transition)
    /// The scene is completely visible.
    case didAppear
    /// The transition that led to this scene is complete. Without a duration, there is no transition.
    case finished(Transition)
    /// Another scene will take the place of this one. A transition may follow.
    case willDisappear
    /// The scene is no longer visible.
    case didDisappear
    /// Another scene now covers this one.
    case sleep
    /// The scene has left the stack.
    case end
    /// Memory is short. The scene should release everything that it can create again.
    case memoryShort
}

/// The action that a scene requests.
public enum SceneAction {
    /// The scene did not handle the key, so the stage may handle it.
    case pass
    /// The scene has changed, and must be drawn again.
    case redraw
    /// Changes the stack.
    case go(StackCommand, by: Transition? = nil)
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
