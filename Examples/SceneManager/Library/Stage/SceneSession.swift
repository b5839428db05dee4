internal import IPC
internal import Terminal

/// One run of a program with scenes: passes events from the terminal, URLs and the kernel to the stage.
@MainActor
struct SceneSession {
    let program: SceneProgram
    let stage: Stage
    let keeper: StateKeeper
    let terminal: Terminal

    /// Runs until the user or a signal ends it.
    /// - Returns: the signal that ended the run; `nil` if a key did.
    func run(_ app: Application) async -> Int32? {
        let urls = Task {
            try await app.onOpenURL { [.string(try await self.answer($0.url))] }
        }
        let pressure = Task {
            for await _ in MemoryPressure.events() { await stage.letGo() }
        }
        // URLs no longer arrive if the scheme is lost, for example to another process with this id. The user cannot fix
        // that with a key, so it is only reported.
        let loss = Task {
            guard case .failure(let error) = await urls.result else { return }
            stage.notice = "URLs no longer arrive: \(error)"
        }
        let (inputs, feed) = AsyncStream.makeStream(of: TerminalEvent.self)
        let keys = Task {
            for await event in inputs where !stage.isOver { await take(event) }
        }
        stage.didWork = store
        // Cancel all tasks at the end; a transition then jumps to its end.
        defer {
            for task in [urls, pressure, loss, keys] as [any Cancellable] { task.cancel() }
            stage.end()
        }
        for await event in terminal.events {
            if case .interrupted(let signal) = event { return signal }
            feed.yield(event)
        }
        return nil
    }

    private func take(_ event: TerminalEvent) async {
        do {
            try await stage.take(event)
        } catch {
            stage.notice = "\(error)"
        }
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
        case .letGo: await stage.letGo()
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

/// Allows tasks with different result types in one array.
private protocol Cancellable {
    func cancel()
}

extension Task: Cancellable {}
