/// What can be done with a stack of scenes.
public enum StackCommand: Sendable, Hashable {
    /// A new scene on top.
    case push(SceneAddress)
    /// The topmost one away.
    case pop
    /// All away but the root.
    case popToRoot
    /// Those away that lie on the nearest one of this name.
    case popTo(String)
    /// A new scene in the place of the topmost one.
    case replace(SceneAddress)
    /// Those away that lie on the nearest one with this very address; a new scene on top where there is none.
    case show(SceneAddress)
}

extension SceneRefusal {
    /// The root cannot be taken away.
    public static let onlyRoot = SceneRefusal("only the first screen is left; it stays", code: "only-root")

    /// ``SceneStack/depthLimit`` scenes lie on the stack.
    public static let full = SceneRefusal(
        "\(SceneStack.depthLimit) screens lie on each other; go back first", code: "full")

    /// No scene of that name lies on the stack.
    public static func notOnStack(_ name: String) -> SceneRefusal {
        SceneRefusal("there is no screen “\(name)” to go back to", code: "not-on-stack")
    }
}

extension SceneStack {
    /// Changes the stack; on an error it is what it was.
    public mutating func apply(_ command: StackCommand) throws(SceneRefusal) -> [Step] {
        switch command {
        case .push(let address):
            guard entries.count < Self.depthLimit else { throw .full }
            let covered = Step.sleep(top.id)
            append(address)
            return showTop() + [covered]
        case .pop:
            guard entries.count > 1 else { throw .onlyRoot }
            return uncover(entries.count - 1)
        case .popToRoot: return uncover(1)
        case .popTo(let name):
            guard let place = entries.lastIndex(where: { $0.address.name == name }) else { throw .notOnStack(name) }
            return uncover(place + 1)
        case .replace(let address):
            let ended = removeAll(above: entries.count - 1)
            append(address)
            return showTop() + ended
        case .show(let address):
            guard let place = entries.lastIndex(where: { $0.address == address }) else {
                return try apply(.push(address))
            }
            return uncover(place + 1)
        }
    }

    /// Leaves the lowest `count`. The one that is seen then is made before the others end, and restored after.
    private mutating func uncover(_ count: Int) -> [Step] {
        guard count < entries.count else { return [] }
        let ended = removeAll(above: count)
        let shown = showTop()
        return shown.filter(\.isMaking) + ended + shown.filter { !$0.isMaking }
    }
}

extension SceneStack.Step {
    var isMaking: Bool { if case .make = self { true } else { false } }
}
