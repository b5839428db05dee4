public import Terminal

/// Shows the top scene of a stack, passes keys and orders to it, and notifies scenes of events.
@MainActor
public final class Stage {
    /// Creates the scene for an address.
    /// - Throws: a ``SceneRefusal`` if there is no such scene.
    public typealias Factory = @MainActor (SceneAddress) throws -> any Scene

    private let factory: Factory
    private let clock: any Clock<Duration>
    private let show: @MainActor (Canvas) -> Void
    private let turns = Turns()
    private(set) var stack: SceneStack
    private var scenes: [SceneStack.Entry.ID: any Scene] = [:]
    /// What a scene is doing in the background, such as loading: at most one thing each.
    private var works: [SceneStack.Entry.ID: Task<Void, any Error>] = [:]
    /// Called when a scene has ended its work, which may have changed its address.
    var didWork: @MainActor () -> Void = {}
    private(set) var question: Question?
    /// Whether the program should exit.
    private(set) var isOver = false
    /// The message in the bottom line, until the next key.
    var notice = "" {
        didSet { draw() }
    }
    var size: TerminalSize {
        didSet { draw() }
    }

    /// - Parameters:
    ///   - stack: the scenes to show; see ``begin()``.
    ///   - clock: the clock that times transitions.
    ///   - show: called with each picture.
    public init(
        _ stack: SceneStack, size: TerminalSize, clock: any Clock<Duration> = ContinuousClock(),
        factory: @escaping Factory, show: @escaping @MainActor (Canvas) -> Void
    ) {
        (self.stack, self.size, self.clock) = (stack, size, clock)
        (self.factory, self.show) = (factory, show)
    }

    /// Creates the top scene and shows it; if that fails, tries the next one below.
    /// - Throws: the factory's error if even the root cannot be created.
    public func begin() throws {
        var next = stack
        let steps = next.begin()
        commit(try prepare(&next, steps), to: next)
        draw()
        load()
    }

    /// The visible scene.
    public var top: any Scene {
        guard let scene = scenes[stack.top.id] else { preconditionFailure("nothing is shown before begin()") }
        return scene
    }

    /// The addresses from which the stack can be restored in its current state.
    public var addresses: [SceneAddress] {
        noteAddresses()
        return stack.addresses
    }

    /// Whether the scene at a position on the stack currently exists; the root is at 0.
    public func isMade(_ place: Int) -> Bool { scenes[stack.entries[place].id] != nil }

    /// Changes the stack, and returns when the new picture is complete.
    /// - Parameter finished: called when the new picture is complete.
    /// - Throws: a ``SceneRefusal`` or an error of the factory; in both cases, nothing has changed.
    public func go(
        _ command: StackCommand, by transition: Transition? = nil, finished: @MainActor () -> Void = {}
    ) async throws {
        await turns.take()
        defer { turns.give() }
        noteAddresses()
        var next = stack
        let steps = try next.apply(command)
        let cast = try prepare(&next, steps)
        let old = picture()
        let shown = next.top.id
        let new = picture(of: cast.made[shown] ?? scenes[shown], depth: next.entries.count)
        await play(transition, from: old, to: new) { commit(cast, to: next) }
        finished()
    }

    /// Shows another child of a container.
    func turn(_ turn: ChildTurn) async {
        await turns.take()
        defer { turns.give() }
        let old = picture()
        let settle = turn.begin()
        await play(turn.transition, from: old, to: picture()) { settle() }
    }

    /// Releases every scene that is not visible. A released scene is created again from its address when it is shown.
    public func letGo() async {
        await turns.take()
        defer { turns.give() }
        noteAddresses()
        for case .release(let id) in stack.letGo() { release(id) }
        top.letGo()
        draw()
    }

    /// Ends the work of all scenes, so that nothing is drawn after this.
    func end() {
        isOver = true
        for work in works.values { work.cancel() }
    }

    /// Waits until no transition is in progress.
    func settle() async {
        await turns.take()
        turns.give()
    }

    /// Opens an alert, or removes it.
    func setQuestion(_ question: Question?) {
        self.question = question
        draw()
    }

    func draw() {
        guard !isOver, scenes[stack.top.id] != nil else { return }
        show(picture())
    }
}

// MARK: Work of scenes

extension Stage {
    /// Loads what the visible scene is missing; returns `nil` if it is missing nothing.
    @discardableResult
    func load() -> Task<Void, any Error>? {
        let scene = top
        return scene.isLoaded ? nil : start { try await scene.load() }
    }

    /// Runs work of the visible scene, and performs the action that it returns if the scene is still visible.
    func run(_ work: @escaping @MainActor () async throws -> SceneAction) -> Task<Void, any Error> {
        let id = stack.top.id
        return start { [self] in
            do {
                let action = try await work()
                try Task.checkCancellation()
                // The action may end this scene, which must not cancel the action.
                works[id] = nil
                if stack.top.id == id { try await perform(action) }
            } catch {
                if !Task.isCancelled { notice = "\(error)" }
                throw error
            }
        }
    }

    /// Cancels the work of the visible scene.
    func cancelWork() { works[stack.top.id]?.cancel() }

    /// Starts work of the visible scene, in place of its earlier work.
    private func start(_ work: @escaping @MainActor () async throws -> Void) -> Task<Void, any Error> {
        cancelWork()
        let id = stack.top.id
        // The scene is drawn when the work has begun, because it may show its progress.
        let task = Task.immediate {
            // The scene may also show why its work has failed.
            defer {
                draw()
                didWork()
            }
            try await work()
        }
        if scenes[id] != nil { works[id] = task }
        draw()
        return task
    }
}

// MARK: Events of scenes

extension Stage {
    /// A prepared change of the stack: the scenes that were created for it, and the steps.
    private struct Cast {
        var made: [SceneStack.Entry.ID: any Scene] = [:]
        var steps: [SceneStack.Step]
    }

    /// Creates the scenes for the steps. A restored scene that cannot be created is skipped: its data may be gone.
    private func prepare(_ next: inout SceneStack, _ steps: [SceneStack.Step]) throws -> Cast {
        var cast = Cast(steps: steps)
        for case .make(let id) in steps {
            do { cast.made[id] = try factory(next.top.address) } catch {
                let isNew = !steps.contains(.restore(id))
                guard !isNew, next.entries.count > 1 else { throw error }
                let more = try next.apply(.pop)
                let below = try prepare(&next, more)
                return Cast(made: below.made, steps: steps.filter { $0 != .restore(id) } + below.steps)
            }
        }
        return cast
    }

    private func commit(_ cast: Cast, to next: SceneStack) {
        stack = next
        scenes.merge(cast.made) { $1 }
        for step in cast.steps {
            switch step {
            case .make: break
            case .sleep(let id): scenes[id]?.sleep()
            case .restore(let id): scenes[id]?.restore()
            case .end(let id):
                works.removeValue(forKey: id)?.cancel()
                scenes.removeValue(forKey: id)?.end()
            case .release(let id): release(id)
            }
        }
    }

    private func release(_ id: SceneStack.Entry.ID) {
        works.removeValue(forKey: id)?.cancel()
        scenes[id] = nil
    }

    private func noteAddresses() {
        for (id, scene) in scenes { stack.note(scene.address, for: id) }
    }

    private func play(
        _ transition: Transition?, from old: Canvas, to new: Canvas, turn: () -> Void
    ) async {
        let way = transition ?? .cut
        await way.play(on: clock, turn: turn) { progress in
            // At the end, draw the scene as it is now, because it may have changed during the transition.
            if progress < 1 { show(way.picture(from: old, to: new, at: progress)) } else { draw() }
        }
    }

    private func picture() -> Canvas {
        picture(of: scenes[stack.top.id], depth: stack.entries.count)
    }

    private func picture(of scene: (any Scene)?, depth: Int) -> Canvas {
        guard let scene else { return Canvas(size: size) }
        let framed = Canvas(size: size, showing: scene, depth: depth, notice: notice)
        return question.map { framed.under($0.alert) } ?? framed
    }
}
