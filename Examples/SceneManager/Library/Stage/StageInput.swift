public import Terminal

/// An alert that is open, and what its answer leads to.
struct Question {
    var alert: Alert
    let then: @MainActor (Int) -> SceneAction
    /// Who waits for the answer: the opener of a URL; `nil` where a key has asked.
    let waiter: CheckedContinuation<Int, any Error>?
}

extension Stage {
    /// Takes a key, a paste, or a new size.
    /// - Throws: why what was asked for is not done.
    public func take(_ event: TerminalEvent) async throws {
        if !notice.isEmpty { notice = "" }
        switch event {
        case .resized(let size): self.size = size
        case .resumed: draw()
        case .interrupted: end()
        case .key(let key):
            // What is typed ahead is for the scene that is coming.
            await settle()
            if question == nil { try await perform(usual(key, top.take(event))) } else { try await answer(key) }
        case .paste:
            if question == nil { try await perform(top.take(event)) }
        }
    }

    /// Does what a scene wants, and returns when it can be seen; not when it is answered.
    func perform(_ action: SceneAction) async throws {
        switch action {
        case .pass: break
        case .redraw: draw()
        case .go(let command, let transition, let finished):
            try await go(command, by: transition, finished: finished)
        case .turn(let turn): await self.turn(turn)
        case .ask(let alert, let then): setQuestion(Question(alert: alert, then: then, waiter: nil))
        case .quit: end()
        }
    }

    /// Does what a program wants, and returns when it is done: where a person is asked, after the answer.
    /// - Throws: a `CancellationError` when the person lets it be, or the program has called it off.
    func performAnswered(_ action: SceneAction) async throws {
        guard case .ask(let alert, let then) = action else { return try await perform(action) }
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

    /// Programs wait until a person has answered what is asked already.
    func refuseWhileAsking() throws {
        if let question {
            throw SceneRefusal("“\(question.alert.title)” waits for an answer; try again after it", code: "asking")
        }
    }

    private func answer(_ key: Key) async throws {
        guard var question else { return }
        switch question.alert.press(key) {
        case .open: setQuestion(question)
        case .answered(let place):
            setQuestion(nil)
            guard let waiter = question.waiter else { return try await perform(question.then(place)) }
            waiter.resume(returning: place)
        }
    }

    /// Takes the question of a program away that does not want to know any more.
    private func withdraw() {
        guard let waiter = question?.waiter else { return }
        setQuestion(nil)
        waiter.resume(throwing: CancellationError())
    }

    /// What keys do where the scene does not take them.
    private func usual(_ key: Key, _ action: SceneAction) -> SceneAction {
        guard case .pass = action else { return action }
        return switch key {
        case .escape, .backspace: stack.entries.count > 1 ? .go(.pop) : .pass
        case .character("q"): .quit
        default: .pass
        }
    }
}
