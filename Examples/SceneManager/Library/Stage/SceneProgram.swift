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
    /// Creates the scene for an address, or throws a ``SceneRefusal`` if there is no such scene.
    public typealias Factory = @MainActor (SceneAddress) throws -> any Scene

    fileprivate let id: ApplicationID
    fileprivate let scheme: URLScheme
    private let root: SceneAddress
    private let scenes: @MainActor (Application) -> Factory
    fileprivate let order: @Sendable (SceneAddress) throws -> SceneOrder

    /// - Parameters:
    ///   - id: the application id, and the name of the pasteboard that stores the stack.
    ///   - scheme: the scheme of the URLs that give orders.
    ///   - root: the address of the bottom scene, which the factory must always be able to create.
    ///   - order: returns the order that a URL gives.
    ///   - scenes: called once the program is connected; returns the function that creates the scenes.
    public init(
        id: ApplicationID, scheme: URLScheme, root: SceneAddress,
        order: @escaping @Sendable (SceneAddress) throws -> SceneOrder = { try SceneOrder($0) },
        scenes: @escaping @MainActor (Application) -> Factory
    ) {
        (self.id, self.scheme, self.root) = (id, scheme, root)
        (self.order, self.scenes) = (order, scenes)
    }

    /// Creates a program whose scenes do not need the connection.
    public init(
        id: ApplicationID, scheme: URLScheme, root: SceneAddress,
        order: @escaping @Sendable (SceneAddress) throws -> SceneOrder = { try SceneOrder($0) },
        factory: @escaping Factory
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
            let keeper = StateKeeper { try await board.setValue($0) }
            let terminal = try Terminal.open()
            defer { terminal.close() }
            let stage = Stage(stack, size: terminal.size, factory: scenes(app)) { terminal.show($0) }
            try await stage.begin()
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
            // The stored root may come from another version of this program. Then start with a new stack.
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

/// One run of the program: passes events from the terminal, URLs and the kernel to the stage.
@MainActor
private struct SceneSession {
    let program: SceneProgram
    let stage: Stage
    let keeper: StateKeeper
    let terminal: Terminal

    /// Runs until the user or a signal ends it.
    /// - Returns: the signal that ended the run; `nil` if a key did.
    func run(_ app: Application) async -> Int32? {
        let (inputs, feed) = AsyncStream.makeStream(of: TerminalEvent.self)
        return await withTaskGroup(of: Void.self) { group in
            // A transition that is in progress then jumps to its last picture, and the alert of a URL disappears.
            defer {
                group.cancelAll()
                stage.end()
            }
            stage.didWork = store
            group.addTask { await receive(app) }
            group.addTask { for await _ in MemoryPressure.events() { await stage.release() } }
            group.addTask { for await event in inputs { await take(event) } }
            for await event in terminal.events {
                if case .interrupted(let signal) = event { return signal }
                feed.yield(event)
            }
            return nil
        }
    }

    /// URLs no longer arrive if the scheme is lost, for example to another process with this id. The user cannot fix
    /// that with a key, so it is only reported.
    private func receive(_ app: Application) async {
        do { try await app.onOpenURL { [.string(try await answer($0.url))] } } catch {
            if !Task.isCancelled { stage.notice = "URLs no longer arrive: \(error)" }
        }
    }

    private func take(_ event: TerminalEvent) async {
        guard !stage.isOver else { return }
        do { try await stage.take(event) } catch { stage.notice = "\(error)" }
        // Close the terminal, which ends the loop over its events.
        if stage.isOver { terminal.close() }
        store()
    }

    /// Stores the addresses of the screens in the background, so that typing does not wait for the disk.
    private func store() {
        let addresses = stage.addresses
        Task {
            do { try await keeper.keep(addresses) } catch {
                stage.notice = "the open screens could not be stored: \(error)"
            }
        }
    }

    /// Carries out the order of a URL. The picture is complete and the stack is on disk when this returns.
    /// - Returns: the title of the visible scene or, for `stack`, the addresses of all scenes, root first.
    private func answer(_ url: String) async throws -> String {
        guard var address = SceneAddress(url: url) else {
            throw SceneRefusal("“\(url)” does not name a screen; use \(program.scheme)://NAME", code: "no-name")
        }
        try stage.refuseWhileAsking()
        let transition = try Transition.take(from: &address)
        switch try program.order(address) {
        case .stack(let command): try await stage.performAnswered(.go(command, by: transition))
        case .release: await stage.release()
        case .list: return stage.addresses.map(\.description).joined(separator: "\n")
        case .scene(let order):
            guard let action = try stage.top.take(order) else {
                throw SceneRefusal("the screen “\(stage.top.title)” does not support “\(order)”", code: "unknown-order")
            }
            try await stage.performAnswered(action)
        }
        try await keeper.keep(stage.addresses)
        return stage.top.title
    }
}
