public import Terminal

/// A screen. It is made (its initializer) when it is first shown, and again when it is shown after it was let go; so all that it
/// wants to have back stands in its ``address``.
@MainActor
public protocol Scene: AnyObject {
    /// Its name for people: the line on top, and the answer to a URL.
    var title: String { get }
    /// From which the same scene can be made, as it is now.
    var address: SceneAddress { get }
    /// What the keys do here, for the line at the bottom.
    var hint: String { get }

    /// Draws itself on an empty canvas.
    func draw(on canvas: inout Canvas)
    /// Takes a key or a paste.
    func take(_ event: TerminalEvent) -> SceneAction
    /// Takes an order that came by a URL and is none for the stack; `nil` for one that it does not know.
    func take(_ order: SceneAddress) throws -> SceneAction?

    /// Something lies on it now.
    func sleep()
    /// It is seen again.
    func restore()
    /// It has left the stack for good.
    func end()
    /// Memory is short: lets go of what can be made again.
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

/// What a scene wants to be done.
public enum SceneAction {
    /// It did not take the key; the stage may.
    case pass
    /// It has changed.
    case redraw
    /// Changes the stack, and calls when all can be seen.
    case go(StackCommand, by: Transition? = nil, finished: @MainActor () -> Void = {})
    /// Shows another child: ``ChildTurn``.
    case turn(ChildTurn)
    /// Asks a person; what follows depends on the place of the answer.
    case ask(Alert, then: @MainActor (Int) -> SceneAction)
    /// Ends the program; the stack is there again at the next start.
    case quit
}
