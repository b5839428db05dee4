internal import Terminal

/// Shows the top scene of a stack, passes keys and orders to it, and notifies scenes of the moments in their lives.
@MainActor
final class Stage {
    private let factory: SceneProgram.Factory
    private let clock: any Clock<Duration>
    private let show: @MainActor (Canvas) -> Void
    private let turns = Turns()
    private(set) var stack: SceneStack
    /// Called when a scene has ended its work, which may have changed its address.
    var didWork: @MainActor () -> Void = {}
    private(set) var question: Question?
    /// Whether the program should exit.
    private(set) var isOver = false
    /// The message in the bottom line, until the next key.
    var notice = "" {
        didSet { draw() }
    }
    private var size: TerminalSize

    /// - Parameters:
    ///   - stack: the scenes to show; see ``begin()``.
    ///   - clock: the clock that times transitions.
    ///   - show: called with each picture.
    init(
        _ stack: SceneStack, size: TerminalSize, clock: any Clock<Duration> = ContinuousClock(),
        factory: @escaping SceneProgram.Factory, show: @escaping @MainActor (Canvas) -> Void
    ) {
        (self.stack, self.size, self.clock) = (stack, size, clock)
        (self.factory, self.show) = (factory, show)
    }

    /// The visible scene.
    var top: any Scene {
        guard let scene = stack.top.scene else { preconditionFailure("nothing is shown before begin()") }
        return scene
    }

    /// The addresses from which the stack can be restored in its current state.
    var addresses: [SceneAddress] { stack.entries.map(\.address) }

    /// Releases every scene that is not visible.
    func release() async {
        await turns.take()
        defer { turns.give() }
        for entry in stack.entries.dropLast() { entry.release() }
        top.take(.memoryShort)
        draw()
    }

    /// Ends the work of all scenes, so that nothing is drawn after this.
    func end() {
        isOver = true
        for entry in stack.entries { entry.work?.cancel() }
    }

    /// Draws the visible scene in another size, and notifies it if it needs another layout.
    func resize(_ size: TerminalSize) {
        let before = Orientation(self.size)
        self.size = size
        if Orientation(size) != before { top.take(.layout(Orientation(size))) }
        draw()
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
        if !isOver { show(picture(of: stack.top.scene, depth: stack.entries.count)) }
    }

    private func picture(of scene: (any Scene)?, depth: Int) -> Canvas {
        guard let scene else { return Canvas(size: size) }
        let framed = Canvas(size: size, showing: scene, depth: depth, notice: notice)
        return question.map { framed.under($0.alert) } ?? framed
    }
}

// MARK: Changes

extension Stage {
    /// Creates the top scene and shows it; if that fails, tries the next one below.
    /// - Throws: the factory's error if even the root cannot be created.
    func begin() async throws {
        try await change(to: stack, by: .cut)
        load()
    }

    /// Changes the stack, and returns when the new picture is complete.
    /// - Parameter transition: `nil` means the entrance of the new scene or the exit of the old one.
    /// - Throws: a ``SceneRefusal`` or an error of the factory; in both cases, nothing has changed.
    func go(_ command: StackCommand, by transition: Transition? = nil) async throws {
        await turns.take()
        defer { turns.give() }
        var next = stack
        try next.apply(command)
        if next.top !== stack.top { try await change(to: next, by: transition) }
    }

    /// Shows another child of a container.
    func turn(_ turn: ChildTurn) async {
        await turns.take()
        defer { turns.give() }
        let (container, depth) = (top, stack.entries.count)
        let before = picture(of: container, depth: depth)
        let (old, new, isReturning) = turn.begin()
        await pass(from: old, to: new, isReturning: isReturning, by: turn.transition) { progress in
            turn.transition.picture(from: before, to: picture(of: container, depth: depth), at: progress)
        } commit: {
            old.take(.sleep)
        }
    }

    private func change(to wanted: SceneStack, by transition: Transition?) async throws {
        let (before, old) = (stack, stack.top.scene)
        var after = wanted
        let new = try after.makeTop(factory)
        let isReturning = after.top.wasShown
        after.top.wasShown = true
        let way = transition ?? (isReturning ? old?.exit : new.entrance) ?? .cut
        let oldPicture = picture(of: old, depth: before.entries.count)
        await pass(from: old, to: new, isReturning: isReturning, by: way) { progress in
            way.picture(from: oldPicture, to: picture(of: new, depth: after.entries.count), at: progress)
        } commit: {
            stack = after
            for entry in before.entries.reversed() {
                let isRemoved = !after.entries.contains { $0 === entry }
                if isRemoved {
                    entry.work?.cancel()
                    entry.scene?.take(.end)
                } else if entry === before.top {
                    old?.take(.sleep)
                }
            }
        }
    }

    /// Replaces the visible scene, on the stack or in a container, and notifies both scenes.
    /// - Parameters:
    ///   - picture: the picture at a progress from 0 to 1.
    ///   - commit: makes the change when the old scene is no longer visible.
    private func pass(
        from old: (any Scene)?, to new: any Scene, isReturning: Bool, by way: Transition,
        picture: (_ progress: Double) -> Canvas, commit: () -> Void
    ) async {
        let (takesTime, orientation) = (way.duration > .zero, Orientation(size))
        old?.take(.willDisappear)
        if isReturning { new.take(.restore) }
        new.take(.layout(orientation))
        new.take(.willAppear)
        await way.play(on: clock) {
            old?.take(.didDisappear)
            commit()
            // Until now, another scene got the layout if the terminal had a new size.
            if Orientation(size) != orientation { new.take(.layout(Orientation(size))) }
            if takesTime { new.take(.turned(way)) }
        } show: {
            show(picture($0))
        }
        new.take(.didAppear)
        if takesTime { new.take(.finished(way)) }
        draw()
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
        let entry = stack.top
        return start { [self] in
            do {
                let action = try await work()
                try Task.checkCancellation()
                // The action may end this scene, which cancels this task, but must not cancel the action.
                if stack.top === entry { try await Task { _ = try await perform(action) }.value }
            } catch {
                if !Task.isCancelled { notice = "\(error)" }
                throw error
            }
        }
    }

    /// Starts work of the visible scene, in place of its earlier work.
    private func start(_ work: @escaping @MainActor () async throws -> Void) -> Task<Void, any Error> {
        let entry = stack.top
        entry.work?.cancel()
        // The scene is drawn when the work has begun, because it may show its progress.
        let task = Task.immediate {
            // The scene may also show why its work has failed.
            defer {
                draw()
                didWork()
            }
            do { try await work() } catch  where Task.isCancelled { throw CancellationError() }
        }
        entry.work = task
        draw()
        return task
    }
}
