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

/// A place on the stack. Its scene exists while it is visible, and then until it is released or leaves the stack.
@MainActor
final class StackEntry {
    private var released: SceneAddress
    fileprivate(set) var scene: (any Scene)?
    /// What the scene does in the background, such as loading: at most one thing.
    var work: Task<Void, any Error>?
    /// Whether the scene was shown before, even if that was in an earlier run of the program.
    var wasShown: Bool

    fileprivate init(_ address: SceneAddress, wasShown: Bool = false) {
        (released, self.wasShown) = (address, wasShown)
    }

    /// The address from which the scene can be created in its current state.
    var address: SceneAddress { scene?.address ?? released }

    /// Releases the scene to free its memory; it is created again from its address when it is shown.
    func release() {
        work?.cancel()
        (released, scene) = (address, nil)
    }
}

/// A stack of scenes; only the top one is visible. ``Stage`` compares it before and after a command, and notifies the
/// scenes of the difference.
@MainActor
struct SceneStack {
    /// The maximum number of scenes on the stack. A limit is necessary, because other programs can push scenes too.
    nonisolated static let depthLimit = 100

    /// The entries, root first; never empty.
    private(set) var entries: [StackEntry]

    /// Creates a stack that has not been shown yet.
    init(root: SceneAddress) { entries = [StackEntry(root)] }

    /// Restores the stack of an earlier run, root first; `nil` without a root.
    init?(restoring addresses: [SceneAddress]) {
        guard !addresses.isEmpty else { return nil }
        entries = addresses.prefix(Self.depthLimit).map { StackEntry($0, wasShown: true) }
    }

    /// The entry of the visible scene.
    var top: StackEntry { entries[entries.endIndex - 1] }

    /// Changes the stack; an error leaves it unchanged.
    mutating func apply(_ command: StackCommand) throws(SceneRefusal) {
        switch command {
        case .push(let address):
            guard entries.count < Self.depthLimit else { throw .full }
            entries.append(StackEntry(address))
        case .pop:
            guard entries.count > 1 else { throw .onlyRoot }
            entries.removeLast()
        case .popToRoot: entries.removeSubrange(1...)
        case .popTo(let name):
            guard let place = entries.lastIndex(where: { $0.address.name == name }) else { throw .notOnStack(name) }
            entries.removeSubrange((place + 1)...)
        case .replace(let address): entries[entries.endIndex - 1] = StackEntry(address)
        case .show(let address):
            guard let place = entries.lastIndex(where: { $0.address == address }) else {
                return try apply(.push(address))
            }
            entries.removeSubrange((place + 1)...)
        }
    }

    /// Creates the top scene if it does not exist. A scene that was shown before is skipped if it cannot be created
    /// again, because its data may be gone.
    mutating func makeTop(_ factory: SceneProgram.Factory) throws -> any Scene {
        while true {
            if let scene = top.scene { return scene }
            do { top.scene = try factory(top.address) } catch {
                guard top.wasShown, entries.count > 1 else { throw error }
                entries.removeLast()
            }
        }
    }
}

extension SceneRefusal {
    /// The root cannot be removed.
    static let onlyRoot = SceneRefusal("only the first screen is left, and it cannot be closed", code: "only-root")

    static let full = SceneRefusal(
        "\(SceneStack.depthLimit) screens are open already; go back first", code: "full")

    static func notOnStack(_ name: String) -> SceneRefusal {
        SceneRefusal("there is no screen “\(name)” to go back to", code: "not-on-stack")
    }
}
