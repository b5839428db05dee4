public import Terminal

/// A screen. It is created when it is first shown, and created again when it is shown after a release. So everything
/// that it needs to restore must be in its ``address``.
@MainActor
public protocol Scene: AnyObject {
    /// Its name for users: the top line of the screen, and the reply to a URL.
    var title: String { get }
    /// The address from which this scene can be created again in its current state.
    var address: SceneAddress { get }
    /// A description of the keys, for the bottom line.
    var hint: String { get }

    /// Draws the scene on an empty canvas.
    func draw(on canvas: inout Canvas)
    /// Handles a key or a paste.
    func take(_ event: TerminalEvent) -> SceneAction
    /// Carries out an order of a URL that is not for the stack; `nil` if the scene does not know the order.
    func take(_ order: SceneAddress) throws -> SceneAction?

    /// Called when another scene covers this one.
    func sleep()
    /// Called when it is visible again.
    func restore()
    /// Called when it has left the stack.
    func end()
    /// Called when memory is short: releases what can be created again.
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
    /// The scene did not handle the key; the stage may.
    case pass
    /// The scene has changed, and must be drawn again.
    case redraw
    /// Changes the stack, and calls `finished` when the new picture is complete.
    case go(StackCommand, by: Transition? = nil, finished: @MainActor () -> Void = {})
    /// Shows another child: ``ChildTurn``.
    case turn(ChildTurn)
    /// Shows an alert; `then` returns the next action for the index of the answer.
    case ask(Alert, then: @MainActor (Int) -> SceneAction)
    /// Exits the program; the stack is restored on the next start.
    case quit
}
