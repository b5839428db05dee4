public import IPC
internal import Programs
internal import Terminal

/// A program with scenes in a terminal, controlled by keys and URLs, with its stack stored on a pasteboard.
///
/// ```swift
/// @main struct Demo {
///     static func main() async {
///         let program = SceneProgram(id: "demo.Scenes", scheme: "scenes", root: SceneAddress("menu")) { address in
///             guard address.name == "menu" else { throw SceneRefusal("…", code: "no-such-scene") }
///             return MenuScene()
///         }
///         await program.run()
///     }
/// }
/// ```
public struct SceneProgram: Sendable {
    let id: ApplicationID
    let scheme: URLScheme
    let root: SceneAddress
    let scenes: @MainActor (Application) -> Stage.Factory
    let order: @Sendable (SceneAddress) throws -> SceneOrder

    /// - Parameters:
    ///   - id: the application id, and the name of the pasteboard that stores the stack.
    ///   - scheme: the scheme of the URLs that give orders.
    ///   - root: the address of the bottom scene, which the factory must always be able to create.
    ///   - order: returns the order that a URL gives.
    ///   - scenes: called once the program is connected; returns the function that creates the scene for an address, or
    ///     throws a ``SceneRefusal``.
    public init(
        id: ApplicationID, scheme: URLScheme, root: SceneAddress,
        order: @escaping @Sendable (SceneAddress) throws -> SceneOrder = { try SceneOrder($0) },
        scenes: @escaping @MainActor (Application) -> Stage.Factory
    ) {
        (self.id, self.scheme, self.root) = (id, scheme, root)
        (self.order, self.scenes) = (order, scenes)
    }

    /// Creates a program whose scenes do not need the connection.
    /// - Parameter factory: creates the scene for an address, or throws a ``SceneRefusal``.
    public init(
        id: ApplicationID, scheme: URLScheme, root: SceneAddress,
        order: @escaping @Sendable (SceneAddress) throws -> SceneOrder = { try SceneOrder($0) },
        factory: @escaping Stage.Factory
    ) {
        self.init(id: id, scheme: scheme, root: root, order: order, scenes: { _ in factory })
    }

    /// Runs until the user or a signal ends it.
    @MainActor
    public func run() async {
        await Program.run {
            let app = try await Application.connect(id: id, schemes: [scheme])
            let board = try await app.pasteboard(named: PasteboardName(id.text), create: true)
            let (stack, notice) = try await stack(on: board)
            let keeper = StateKeeper(written: []) { try await board.setValue($0) }
            let terminal = try Terminal.open()
            defer { terminal.close() }
            let stage = Stage(stack, size: terminal.size, factory: scenes(app)) { terminal.show($0) }
            try stage.begin()
            stage.notice = notice
            let session = SceneSession(program: self, stage: stage, keeper: keeper, terminal: terminal)
            let signal = await session.run(app)
            // Store the changes that the last keys made. This fails if the broker is not running.
            try? await keeper.keep(stage.addresses)
            await app.close()
            if let signal { terminal.end(by: signal) }
        }
    }

    /// Returns the stored stack or a new one, and a message about it for the user.
    @MainActor
    private func stack(on board: Pasteboard) async throws(IPCError) -> (SceneStack, notice: String) {
        let anew = SceneStack(root: root)
        do {
            let kept = try await board.value([SceneAddress].self) ?? []
            // The stored root may come from another version of this program and not exist any more. Then start with a
            // new stack.
            let stack = kept.first?.name == root.name ? SceneStack(restoring: kept) : nil
            return (stack ?? anew, "")
        } catch {
            guard error.code == .payloadInvalid else { throw error }
            return (
                anew,
                "started with the first screen, because the pasteboard \(id) contains something else (\(error.message))"
            )
        }
    }
}
