internal import Terminal

/// An order that another program gives with a URL.
public enum SceneOrder: Sendable, Hashable {
    /// `push/NAME`, `pop`, `pop-to-root`, `pop-to/NAME`, `replace/NAME`; the scene's own parameters follow its name.
    case stack(StackCommand)
    /// The URL `release`: release the scenes that are not visible.
    case release
    /// The URL `stack`: list the scenes.
    case list
    /// Any other URL: an order for the visible scene.
    case scene(SceneAddress)

    public init(_ address: SceneAddress) throws(SceneRefusal) {
        switch address.name {
        case "push": self = .stack(.push(try address.target()))
        case "replace": self = .stack(.replace(try address.target()))
        case "pop": self = .stack(.pop)
        case "pop-to-root": self = .stack(.popToRoot)
        case "pop-to": self = .stack(.popTo(try address.target().name))
        case "release": self = .release
        case "stack": self = .list
        default: self = .scene(address)
        }
    }
}

extension SceneAddress {
    /// The address of the scene that this order is about: the order's argument is the scene's name, and the parameters
    /// are the same.
    fileprivate func target() throws(SceneRefusal) -> SceneAddress {
        guard let argument, let target = SceneAddress(path: argument, parameters) else {
            throw SceneRefusal("“\(name)” needs the name of a screen: \(name)/NAME", code: "no-name")
        }
        return target
    }
}

extension Transition {
    /// How long a fade takes if the URL has no `ms`, in milliseconds.
    private static let usual = 500

    /// Removes `fade=white` or `fade=black`, and `ms=500`, from an address; returns the fade, if there is one.
    static func take(from address: inout SceneAddress) throws(SceneRefusal) -> Transition? {
        let (colour, time) = (address["fade"], address["ms"])
        (address["fade"], address["ms"]) = (nil, nil)
        guard let colour else { return nil }
        guard let through = ["white": Color.white, "black": .black][colour] else {
            throw SceneRefusal("fade=\(colour): a fade goes through white or black", code: "bad-fade")
        }
        let milliseconds = time.map { Int($0) } ?? usual
        guard let milliseconds, (0...10_000).contains(milliseconds) else {
            throw SceneRefusal("ms=\(time ?? ""): a fade takes 0 to 10000 milliseconds", code: "bad-fade")
        }
        return Transition(.fade(through: through), .milliseconds(milliseconds))
    }
}
