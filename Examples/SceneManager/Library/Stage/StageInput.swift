internal import Terminal

/// An open alert, and the action that its answer leads to.
struct Question {
    var alert: Alert
    let then: @MainActor (Int) -> SceneAction
    /// The URL request that waits for the answer; `nil` if a key opened the alert.
    let waiter: CheckedContinuation<Int, any Error>?
}

extension Stage {
    /// Handles a key, a paste, or a new size.
    /// - Throws: the reason why the requested action was rejected.
    func take(_ event: TerminalEvent) async throws {
        if !notice.isEmpty { notice = "" }
        switch event {
        case .resized(let size): resize(size)
        case .resumed: draw()
        case .interrupted: end()
        case .key(let key):
            // Keys typed during a transition go to the scene that it leads to.
            await settle()
            if question == nil { try await perform(usual(key, top.take(event))) } else { try await answer(key) }
        case .paste:
            await settle()
            if question == nil { try await perform(top.take(event)) }
        }
    }

    /// Performs an action of a scene. Returns when the result is visible, without waiting for the answer to an alert.
    /// - Returns: the work that the action has started; `nil` if it has started none.
    @discardableResult
    func perform(_ action: SceneAction) async throws -> Task<Void, any Error>? {
        switch action {
        case .pass: break
        case .redraw: draw()
        case .go(let command, let transition):
            try await go(command, by: transition)
            return load()
        case .turn(let turn):
            await self.turn(turn)
            return load()
        case .load: return load()
        case .run(let work): return run(work)
        case .cancel: stack.top.work?.cancel()
        case .ask(let alert, let then): setQuestion(Question(alert: alert, then: then, waiter: nil))
        case .quit: end()
        }
        return nil
    }

    /// Performs an action for another program. Returns when the action is done. If the action opens an alert, this
    /// waits for the answer, and if it starts work, for the end of the work.
    /// - Throws: the work's error; a `CancellationError` if the user declines, or the program cancels its request.
    func performAnswered(_ action: SceneAction) async throws {
        guard case .ask(let alert, let then) = action else {
            guard let work = try await perform(action) else { return }
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        }
        try refuseWhileAsking()
        let place = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                setQuestion(Question(alert: alert, then: then, waiter: waiter))
            }
        } onCancel: {
            Task { @MainActor in self.withdraw() }
        }
        try await performAnswered(then(place))
        if place == alert.harmless { throw CancellationError() }
    }

    /// Throws while an alert is open: a program must wait until the user has answered it.
    func refuseWhileAsking() throws {
        if let question {
            throw SceneRefusal(
                "“\(question.alert.title)” is waiting for an answer; try again when it has been answered",
                code: "asking")
        }
    }

    private func answer(_ key: Key) async throws {
        guard var question else { return }
        switch question.alert.press(key) {
        case .open: setQuestion(question)
        case .answered(let place):
            setQuestion(nil)
            if let waiter = question.waiter {
                waiter.resume(returning: place)
            } else {
                try await perform(question.then(place))
            }
        }
    }

    /// Removes the alert of a program that has cancelled its request.
    private func withdraw() {
        guard let waiter = question?.waiter else { return }
        setQuestion(nil)
        waiter.resume(throwing: CancellationError())
    }

    /// What a key does if the scene does not handle it.
    private func usual(_ key: Key, _ action: SceneAction) -> SceneAction {
        guard case .pass = action else { return action }
        return switch key {
        case .escape, .backspace: stack.entries.count > 1 ? .go(.pop) : .pass
        case .character("q"): .quit
        default: .pass
        }
    }
}
