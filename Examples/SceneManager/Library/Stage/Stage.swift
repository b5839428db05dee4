public import Terminal

/// Shows the topmost scene of a stack, brings keys and orders to it, and tells scenes what becomes of them.
@MainActor
public final class Stage {
    /// Makes the scene of an address.
    /// - Throws: a ``SceneRefusal`` where there is none.
    public typealias Factory = @MainActor (SceneAddress) throws -> any Scene

    private let factory: Factory
    private let clock: any Clock<Duration>
    private let show: @MainActor (Canvas) -> Void
    private let turns = Turns()
    private(set) var stack: SceneStack
    private var scenes: [SceneStack.Entry.ID: any Scene] = [:]
    private(set) var question: Question?
    /// Whether the program is to end.
    private(set) var isOver = false
    /// What is said in the line at the bottom until the next key.
    var notice = "" {
        didSet { draw() }
    }
    var size: TerminalSize {
        didSet { draw() }
    }

    /// - Parameters:
    ///   - stack: what is to be shown; see ``begin()``.
    ///   - clock: by which transitions are timed.
    ///   - show: gets each picture.
    public init(
        _ stack: SceneStack, size: TerminalSize, clock: any Clock<Duration> = ContinuousClock(),
        factory: @escaping Factory, show: @escaping @MainActor (Canvas) -> Void
    ) {
        (self.stack, self.size, self.clock) = (stack, size, clock)
        (self.factory, self.show) = (factory, show)
    }

    /// Makes the topmost scene and shows it; where that cannot be made, the next one below.
    /// - Throws: what the factory says of the root.
    public func begin() throws {
        var next = stack
        let steps = next.begin()
        commit(try prepare(&next, steps), to: next)
        draw()
    }

    /// The scene that is seen.
    public var top: any Scene {
        guard let scene = scenes[stack.top.id] else { preconditionFailure("nothing is shown before begin()") }
        return scene
    }

    /// From which the stack can be made again, as it is now.
    public var addresses: [SceneAddress] {
        noteAddresses()
        return stack.addresses
    }

    /// Whether the scene of a place on the stack exists now, the root at 0.
    public func isMade(_ place: Int) -> Bool { scenes[stack.entries[place].id] != nil }

    /// Changes the stack, and returns when the new picture is shown whole.
    /// - Parameter finished: called then.
    /// - Throws: a ``SceneRefusal``, or what the factory says; nothing has changed.
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

    /// Lets go of every scene that cannot be seen; they are made again from their addresses.
    public func letGo() async {
        await turns.take()
        defer { turns.give() }
        noteAddresses()
        for case .release(let id) in stack.letGo() { scenes[id] = nil }
        top.letGo()
        draw()
    }

    func end() { isOver = true }

    /// Waits until nothing fades.
    func settle() async {
        await turns.take()
        turns.give()
    }

    /// Opens an alert, or takes it away.
    func setQuestion(_ question: Question?) {
        self.question = question
        draw()
    }

    func draw() {
        guard scenes[stack.top.id] != nil else { return }
        show(picture())
    }
}

// MARK: Scenes and their moments

extension Stage {
    /// What a change of the stack needs: the scenes that were made for it, and the steps.
    private struct Cast {
        var made: [SceneStack.Entry.ID: any Scene] = [:]
        var steps: [SceneStack.Step]
    }

    /// Makes what is to be made. A scene that lay on the stack, and cannot be made again, is passed over: its data may be gone.
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
            case .end(let id): scenes.removeValue(forKey: id)?.end()
            case .release(let id): scenes[id] = nil
            }
        }
    }

    private func noteAddresses() {
        for (id, scene) in scenes { stack.note(scene.address, for: id) }
    }

    private func play(
        _ transition: Transition?, from old: Canvas, to new: Canvas, turn: () -> Void
    ) async {
        let way = transition ?? .cut
        await way.play(on: clock, turn: turn) { progress in
            // At the end what is there now, which may have changed meanwhile.
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
