public import IPC
internal import Programs
internal import Terminal

/// A program of scenes: in a terminal, driven by keys and by URLs, with its stack on a pasteboard.
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
    let factory: Stage.Factory
    let order: @Sendable (SceneAddress) throws -> SceneOrder

    /// - Parameters:
    ///   - id: the application id, and the name of the pasteboard that keeps the stack.
    ///   - scheme: URLs with this scheme give orders.
    ///   - root: the scene at the bottom; it can always be made.
    ///   - order: what a URL asks for.
    ///   - factory: makes the scene of an address, or throws a ``SceneRefusal``.
    public init(
        id: ApplicationID, scheme: URLScheme, root: SceneAddress,
        order: @escaping @Sendable (SceneAddress) throws -> SceneOrder = { try SceneOrder($0) },
        factory: @escaping Stage.Factory
    ) {
        (self.id, self.scheme, self.root) = (id, scheme, root)
        (self.order, self.factory) = (order, factory)
    }

    /// Runs until a person or a signal ends it.
    @MainActor
    public func run() async {
        await Program.run {
            let app = try await Application.connect(id: id, schemes: [scheme])
            let board = try await app.pasteboard(named: PasteboardName(id.text), create: true)
            let (stack, notice) = try await stack(on: board)
            let keeper = StateKeeper(written: []) { try await board.setValue($0) }
            let terminal = try Terminal.open(.fullScreen)
            defer { terminal.close() }
            let stage = Stage(stack, size: terminal.size, factory: factory) { terminal.show($0) }
            try stage.begin()
            stage.notice = notice
            let session = SceneSession(program: self, stage: stage, keeper: keeper, terminal: terminal)
            let signal = await session.run(app)
            // What keys did at last is kept too, if the broker is there.
            try? await keeper.keep(stage.addresses)
            await app.close()
            if let signal { terminal.end(by: signal) }
        }
    }

    /// The stack as it was kept, or a new one, and what there is to say about it.
    @MainActor
    private func stack(on board: Pasteboard) async throws(IPCError) -> (SceneStack, notice: String) {
        let anew = SceneStack(root: root)
        do {
            let kept = try await board.value([SceneAddress].self) ?? []
            // A root that another version of this program has kept may be none now.
            let stack = kept.first?.name == root.name ? SceneStack(restoring: kept) : nil
            return (stack ?? anew, "")
        } catch {
            guard error.code == .payloadInvalid else { throw error }
            return (anew, "begun anew: the pasteboard \(id) holds something else (\(error.message))")
        }
    }
}
