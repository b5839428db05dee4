/// A command that changes a stack of scenes.
public enum StackCommand: Sendable, Hashable {
    /// Push a new scene.
    case push(SceneAddress)
    /// Remove the top scene.
    case pop
    /// Remove all scenes except the root.
    case popToRoot
    /// Remove all scenes above the nearest one with this name.
    case popTo(String)
    /// Replace the top scene with a new one.
    case replace(SceneAddress)
    /// Remove all scenes above the nearest one with exactly this address; push a new scene if there is none.
    case show(SceneAddress)
}

extension SceneRefusal {
    /// The error if only the root is left, because the root cannot be removed.
    public static let onlyRoot = SceneRefusal(
        "only the first screen is left, and it cannot be closed", code: "only-root")

    /// The error if the stack already has ``SceneStack/depthLimit`` scenes.
    public static let full = SceneRefusal(
        "\(SceneStack.depthLimit) screens are open already; go back first", code: "full")

    /// The error if no scene with this name is on the stack.
    public static func notOnStack(_ name: String) -> SceneRefusal {
        SceneRefusal("there is no screen “\(name)” to go back to", code: "not-on-stack")
    }
}

extension SceneStack {
    /// Changes the stack and returns the steps to perform; an error leaves the stack unchanged.
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

    /// Removes all entries except the lowest `count`. The scene that becomes visible is created before the removed
    /// scenes end, and is notified after that.
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
